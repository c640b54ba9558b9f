// SPDX-License-Identifier: Apache-2.0
//
// Tilings: all ways to lay the parallel dimensions onto a line of seats that is ordered by the machine
// (innermost neighbours first). A dimension may be cut in two, its parts at different levels: dp = 64 as
// 8 next to each other on a leaf and 8 over the leaves.
#pragma once

#include <functional>
#include <vector>

#include "mapping/rank_graph.h"
#include "mapping/solution.h"

namespace topolaunch::mapping {

/// Calls `visit` with placements by rank, one at a time as each is as large as the job; at most as many
/// as the effort allows, none without dimensions.
void each_tiling(const RankGraph& graph, const std::vector<Seat>& line, Constraints::Effort effort,
                 const std::function<void(std::vector<Seat>)>& visit);

}  // namespace topolaunch::mapping
