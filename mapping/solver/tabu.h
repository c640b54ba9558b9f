// SPDX-License-Identifier: Apache-2.0
//
// Robust tabu search (Taillard 1991) for the quadratic assignment problem: dense, any two matrices,
// a few hundred places. Every pair's gain is kept and updated in O(1); the best swap that is not
// tabu is made, better or worse. When nothing better turns up for long, it goes on from the best
// with some of it shuffled.
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/random.h"
#include "mapping/solver/place_tree.h"
#include "mapping/watch.h"

namespace topolaunch::mapping {

/// n x n, row by row.
using Dense = std::vector<std::int64_t>;

/// sum over i, j of flow[i][j] x distance[place[i]][place[j]].
Wide assignment_cost(const Dense& flow, const Dense& distance, const std::vector<int>& place);

/// The best found from `place` on in `iterations` swaps (each O(n^2)). Sums must fit 62 bits.
std::vector<int> robust_tabu(const Dense& flow, const Dense& distance, std::vector<int> place,
                             std::int64_t iterations, Random& random, const Watch* watch = nullptr);

/// The same on a graph and a tree of at most kTabuPlaces; never worse than `place`.
inline constexpr int kTabuPlaces = 256;
std::vector<int> tabu_on_tree(const CommGraph& graph, const PlaceTree& tree,
                              const std::vector<int>& place, std::int64_t iterations,
                              Random& random, const Watch* watch);

}  // namespace topolaunch::mapping
