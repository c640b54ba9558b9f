// SPDX-License-Identifier: Apache-2.0
//
// Tilings: all ways to lay the parallel dimensions onto a line of seats that is ordered by the machine
// (innermost neighbours first). A dimension may be cut in two, its parts at different levels: dp = 64 as
// 8 next to each other on a leaf and 8 over the leaves.
#pragma once

#include <vector>

#include "mapping/rank_graph.h"
#include "mapping/solution.h"

namespace topolaunch::mapping {

/// Placements by rank, at most as many as the effort allows; empty without dimensions.
std::vector<std::vector<Seat>> tiled_orders(const RankGraph& graph, const std::vector<Seat>& line,
                                            Constraints::Effort effort);

}  // namespace topolaunch::mapping
