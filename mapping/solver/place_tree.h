// SPDX-License-Identifier: Apache-2.0
//
// PlaceTree: places (seats) in nested blocks, of any and unequal sizes. With L levels of blocks there
// are L + 1 distances: [0] inside an innermost block, [l] inside a block of level l but not of level l - 1,
// [L] between outermost blocks.
//
//   H = 8:32:16, D = 1:10:100  ->  block[0] = host of 8, block[1] = leaf of 32 hosts, distance {1, 10, 100}
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/solver/comm_graph.h"

namespace topolaunch::mapping {

struct PlaceTree {
  int places = 0;
  std::vector<std::vector<int>> block;   ///< [level][place], innermost first, numbered from 0
  std::vector<std::int64_t> distance;    ///< one more than levels

  int levels() const { return static_cast<int>(block.size()); }
  int blocks(int level) const;
  /// Index into `distance` for two places.
  int level_between(int p, int q) const {
    int l = 0;
    while (l < levels() && block[static_cast<std::size_t>(l)][static_cast<std::size_t>(p)] !=
                               block[static_cast<std::size_t>(l)][static_cast<std::size_t>(q)])
      ++l;
    return l;
  }
};

/// Regular tree: arities and distances innermost first, as many of each.
PlaceTree regular_tree(const std::vector<int>& arities, const std::vector<std::int64_t>& distances);

/// J = sum over edges of weight x distance; `place` by vertex.
Wide hop_bytes(const CommGraph& graph, const PlaceTree& tree, const std::vector<int>& place);

/// The tree with the blocks of `level` as places; distances inside a block are gone.
PlaceTree block_tree(const PlaceTree& tree, int level);

}  // namespace topolaunch::mapping
