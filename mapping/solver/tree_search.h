// SPDX-License-Identifier: Apache-2.0
//
// Search for small J on a tree: contraction where groups fill blocks, exact multisection from several seeds,
// swaps of whole blocks from the top level down, swaps of vertices, iterated while the work lasts.
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/random.h"
#include "mapping/solver/place_tree.h"
#include "mapping/watch.h"

namespace topolaunch::mapping {

struct SearchEffort {
  int starts = 4;                        ///< multisections (fewer on large graphs)
  int tries = 4;                         ///< runs for each split
  std::int64_t swaps = 2'000'000;        ///< evaluations of the iterated search
  const Watch* watch = nullptr;          ///< may end it early
};

/// Place by vertex; graph.n <= tree.places, what is left stays free. Never worse in J than any of `starts`, which may be empty.
/// The same for the same arguments. `fixed` vertices stay where the first start has them.
std::vector<int> search_tree(const CommGraph& graph, const PlaceTree& tree,
                             const std::vector<std::vector<int>>& starts, std::uint64_t seed, SearchEffort effort,
                             const std::vector<char>& fixed = {});

/// Swaps of whole blocks, outermost level first. Returns places.
std::vector<int> swap_blocks(const CommGraph& graph, const PlaceTree& tree, std::vector<int> place,
                             std::int64_t budget, Random& random);

}  // namespace topolaunch::mapping
