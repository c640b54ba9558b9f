// SPDX-License-Identifier: Apache-2.0
//
// Why a solution is what it is: the gain, which of the five things changed, reasons in sentences.
#pragma once

#include <vector>

#include "mapping/rank_graph.h"
#include "mapping/seats.h"
#include "mapping/solution.h"
#include "topo/topology.h"

namespace topolaunch::mapping {

/// Fills gain, changes and reasons; placement and estimates must be there.
void explain(const topo::Topology& topology, const SeatPool& pool, const RankGraph& graph,
             const Constraints& constraints, const std::vector<Seat>& given, Solution& solution);

}  // namespace topolaunch::mapping
