// SPDX-License-Identifier: Apache-2.0
//
// Crossings: how many groups of each dimension stay inside a host, cross hosts, leaves and so on.
#pragma once

#include <string>
#include <vector>

#include "mapping/rank_graph.h"
#include "mapping/solution.h"
#include "topo/topology.h"

namespace topolaunch::mapping {

struct Crossing {
  std::string dimension;
  Collective collective;
  int groups = 0, members = 0;
  struct Place {
    std::string name;  ///< "inside a host", or the outermost level crossed: "host", "leaf"
    int given = 0, solved = 0;
  };
  std::vector<Place> places;  ///< those that either of the two has, inner ones first
};

/// `given` may hold seats on host -1 (not in this topology): they are not counted.
std::vector<Crossing> crossings(const topo::Topology& topology, const RankGraph& graph,
                                const std::vector<Seat>& given, const std::vector<Seat>& solved);

}  // namespace topolaunch::mapping
