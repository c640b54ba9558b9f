// SPDX-License-Identifier: Apache-2.0
//
// Whole groups: where there are more seats than ranks, a full host may cut a group in two. Groups of
// three fill six of eight seats and leave two free; on three hosts full to the brim four groups of eight
// would cross between hosts.
#pragma once

#include <vector>

#include "mapping/levels.h"
#include "mapping/rank_graph.h"

namespace topolaunch::mapping {

/// Ranks that each host takes if hosts, or blocks of another level, hold whole groups only: of each size
/// that the job's groups and their products have. Those that hold all ranks and differ from `capacity` and
/// each other, hosts before leaves: 8 at most, fewer of large jobs, hosts alone above 4,096 ranks. None where
/// no seat is to spare. Hosts with `pinned` ranks (by host; empty = none) give up seats last.
std::vector<std::vector<int>> whole_group_capacities(const Levels& levels, const RankGraph& graph,
                                                     const std::vector<int>& capacity, int ranks,
                                                     const std::vector<int>& pinned = {});

}  // namespace topolaunch::mapping
