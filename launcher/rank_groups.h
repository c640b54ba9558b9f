// SPDX-License-Identifier: Apache-2.0
//
// The ranks of a solution or of a plan as the drawings take them: place, and the group of one
// parallel dimension.
#pragma once

#include <string>

#include "launcher/plan.h"
#include "mapping/rank_graph.h"
#include "mapping/solution.h"
#include "topo/draw/ranks.h"
#include "topo/topology.h"

namespace topolaunch::launcher {

/// `dimension` empty: the fastest one with more than one rank a group; of a job without any, no
/// groups. wrong_usage, naming those there are, for a dimension that the job doesn't have.
Result<topo::draw::Ranks> ranks_of(const topo::Topology& topology, const mapping::RankGraph& graph,
                                   const mapping::Solution& solution, const std::string& dimension);
Result<topo::draw::Ranks> ranks_of(const Plan& plan, const std::string& dimension);

/// The parallel dimensions that a plan's ranks were told, fastest first, those of one rank left
/// out.
std::vector<mapping::Dimension> dimensions_of(const Plan& plan);

/// invalid_input if a rank sits on a host or GPU that the topology does not have.
Status belong_together(const topo::Topology& topology, const topo::draw::Ranks& ranks);

}  // namespace topolaunch::launcher
