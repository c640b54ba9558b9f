// SPDX-License-Identifier: Apache-2.0
//
// Replace: a running job loses hosts. Only the ranks that were there move, as few as can be; where
// they go is chosen by T, then J, among the seats that are free.
#pragma once

#include <string>
#include <vector>

#include "mapping/rank_graph.h"
#include "mapping/solution.h"
#include "topo/topology.h"

namespace topolaunch::mapping {

/// `old_seats` by rank; a seat on host -1 is on a host that this topology has not, and moves.
/// `lost`: names of the hosts to replace. The rest of `constraints` holds for what moves; spares of
/// the old plan may be used. infeasible in numbers where the free seats are too few.
Result<Solution> replace_hosts(const topo::Topology& topology, const RankGraph& graph,
                               const Constraints& constraints, const std::vector<Seat>& old_seats,
                               const std::vector<std::string>& lost);

}  // namespace topolaunch::mapping
