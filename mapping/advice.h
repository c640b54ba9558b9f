// SPDX-License-Identifier: Apache-2.0
//
// Advice: what would make the solved placement faster, found by trying it on the model: each kind
// of link twice as fast, the longest phase hidden behind compute.
#pragma once

#include <string>
#include <vector>

#include "mapping/rank_graph.h"
#include "mapping/solution.h"
#include "topo/topology.h"

namespace topolaunch::mapping {

struct Advice {
  std::string what;
  Seconds seconds{0};  ///< of a step then
};

/// At most three, the best first; only those that save 2 % or more. Empty where T is not known.
std::vector<Advice> advices(const topo::Topology& topology, const RankGraph& graph,
                            const Solution& solution);

}  // namespace topolaunch::mapping
