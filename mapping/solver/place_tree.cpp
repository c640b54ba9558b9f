// SPDX-License-Identifier: Apache-2.0
#include "mapping/solver/place_tree.h"

#include <algorithm>

#include "mapping/index.h"

namespace topolaunch::mapping {

int PlaceTree::blocks(int level) const {
  int most = -1;
  for (const int b : block[ix(level)]) most = std::max(most, b);
  return most + 1;
}

PlaceTree regular_tree(const std::vector<int>& arities, const std::vector<std::int64_t>& distances) {
  PlaceTree tree;
  tree.places = 1;
  for (const int a : arities) tree.places *= a;
  tree.distance = distances;
  int size = 1;
  for (std::size_t l = 0; l + 1 < arities.size(); ++l) {
    size *= arities[l];
    auto& block = tree.block.emplace_back(ix(tree.places));
    for (int p = 0; p < tree.places; ++p) block[ix(p)] = p / size;
  }
  return tree;
}

Wide hop_bytes(const CommGraph& graph, const PlaceTree& tree, const std::vector<int>& place) {
  Wide sum = 0;
  for (int v = 0; v < graph.n; ++v)
    for (std::size_t e = graph.first[ix(v)]; e < graph.first[ix(v) + 1]; ++e)
      if (graph.to[e] > v)
        sum += static_cast<Wide>(graph.weight[e]) *
               tree.distance[ix(tree.level_between(place[ix(v)], place[ix(graph.to[e])]))];
  return sum;
}

PlaceTree block_tree(const PlaceTree& tree, int level) {
  PlaceTree result;
  result.places = tree.blocks(level);
  for (int l = level + 1; l < tree.levels(); ++l) {
    auto& block = result.block.emplace_back(ix(result.places));
    for (int p = 0; p < tree.places; ++p) block[ix(tree.block[ix(level)][ix(p)])] = tree.block[ix(l)][ix(p)];
  }
  result.distance.assign(tree.distance.begin() + level + 1, tree.distance.end());
  return result;
}

}  // namespace topolaunch::mapping
