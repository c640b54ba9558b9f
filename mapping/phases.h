// SPDX-License-Identifier: Apache-2.0
//
// Where the time of a step goes, by the model: each dimension of the job's process groups alone on
// the placement. They don't add up to the step where some are hidden behind compute.
#pragma once

#include <string>
#include <vector>

#include "base/units.h"
#include "mapping/rank_graph.h"
#include "mapping/solution.h"
#include "topo/topology.h"

namespace topolaunch::mapping {

struct Phase {
  std::string dimension;  ///< "tp", "dp", "world"
  Collective collective;  ///< the first of those it has
  int groups = 0;
  int ranks = 0;  ///< of the largest group
  Bytes bytes;    ///< payload per rank and step of one group
  Seconds seconds{0};
};

/// In the order in which the graph names them; empty where no source gives any bandwidth, and for a
/// graph without groups.
std::vector<Phase> phases_of(const topo::Topology& topology, const RankGraph& graph,
                             const Solution& solution);

}  // namespace topolaunch::mapping
