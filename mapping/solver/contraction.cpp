// SPDX-License-Identifier: Apache-2.0
#include "mapping/solver/contraction.h"

#include <algorithm>
#include <numeric>

#include "mapping/index.h"

namespace topolaunch::mapping {
namespace {

class Components {
 public:
  explicit Components(int n) : parent_(ix(n)), size_(ix(n), 1), count_(n) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  int find(int v) {
    while (parent_[ix(v)] != v) {
      parent_[ix(v)] = parent_[ix(parent_[ix(v)])];
      v = parent_[ix(v)];
    }
    return v;
  }
  void join(int a, int b) {
    a = find(a), b = find(b);
    if (a == b) return;
    if (size_[ix(a)] < size_[ix(b)]) std::swap(a, b);
    parent_[ix(b)] = a;
    size_[ix(a)] += size_[ix(b)];
    largest_ = std::max(largest_, size_[ix(a)]);
    --count_;
  }
  int largest() const { return largest_; }
  /// All components have the size of the largest.
  bool even() const { return static_cast<std::int64_t>(count_) * largest_ == std::ssize(parent_); }

 private:
  std::vector<int> parent_, size_;
  int count_, largest_ = 1;
};

}  // namespace

std::optional<Contraction> contract(const CommGraph& graph, const PlaceTree& tree) {
  if (tree.levels() == 0 || graph.n != tree.places) return std::nullopt;
  std::vector<int> block_size(ix(tree.blocks(0)), 0);
  for (const int b : tree.block[0]) ++block_size[ix(b)];
  const int smallest = *std::min_element(block_size.begin(), block_size.end());
  if (smallest < 2) return std::nullopt;

  struct Heavy {
    std::int64_t weight;
    int a, b;
  };
  std::vector<Heavy> edges;
  edges.reserve(graph.arcs() / 2);
  for (int v = 0; v < graph.n; ++v)
    for (std::size_t e = graph.first[ix(v)]; e < graph.first[ix(v) + 1]; ++e)
      if (graph.to[e] > v) edges.push_back({graph.weight[e], v, graph.to[e]});
  std::sort(edges.begin(), edges.end(), [](const Heavy& x, const Heavy& y) { return x.weight > y.weight; });

  Components components(graph.n);
  Contraction result;
  for (std::size_t i = 0; i < edges.size();) {
    const auto weight = edges[i].weight;
    for (; i < edges.size() && edges[i].weight == weight; ++i) components.join(edges[i].a, edges[i].b);
    if (components.largest() > smallest) break;
    if (!components.even()) continue;
    const int size = components.largest();
    if (size < 2 || !std::all_of(block_size.begin(), block_size.end(), [&](int b) { return b % size == 0; })) continue;
    result.size = size;
    result.part.assign(ix(graph.n), -1);
    result.parts = 0;
    std::vector<int> number(ix(graph.n), -1);
    for (int v = 0; v < graph.n; ++v) {
      int& own = number[ix(components.find(v))];
      if (own < 0) own = result.parts++;
      result.part[ix(v)] = own;
    }
  }
  if (result.size < 2) return std::nullopt;

  result.graph = quotient(graph, result.part, result.parts);
  std::vector<std::vector<int>> by_block(block_size.size());
  for (int p = 0; p < tree.places; ++p) by_block[ix(tree.block[0][ix(p)])].push_back(p);
  PlaceTree coarse;
  coarse.distance = tree.distance;
  coarse.block.resize(tree.block.size());
  bool single = true;
  for (const auto& block : by_block) {
    single = single && count_of(block) == result.size;
    for (std::size_t at = 0; at < block.size(); at += ix(result.size)) {
      result.places.emplace_back(block.begin() + static_cast<std::ptrdiff_t>(at),
                                 block.begin() + static_cast<std::ptrdiff_t>(at) + result.size);
      for (int l = 0; l < tree.levels(); ++l) coarse.block[ix(l)].push_back(tree.block[ix(l)][ix(block[at])]);
    }
  }
  coarse.places = count_of(result.places);
  // Blocks of one place each are no level.
  result.tree = single ? block_tree(coarse, 0) : coarse;
  return result;
}

std::vector<int> expand(const Contraction& contraction, const std::vector<int>& part_place) {
  std::vector<int> next(ix(contraction.parts), 0), place(contraction.part.size());
  for (std::size_t v = 0; v < place.size(); ++v) {
    const int p = contraction.part[v];
    place[v] = contraction.places[ix(part_place[ix(p)])][ix(next[ix(p)]++)];
  }
  return place;
}

std::optional<std::vector<int>> restrict_to_parts(const Contraction& contraction, const std::vector<int>& place) {
  std::vector<int> group(place.size());
  for (int g = 0; g < count_of(contraction.places); ++g)
    for (const int p : contraction.places[ix(g)]) group[ix(p)] = g;
  std::vector<int> result(ix(contraction.parts), -1);
  for (std::size_t v = 0; v < place.size(); ++v) {
    int& own = result[ix(contraction.part[v])];
    const int g = group[ix(place[v])];
    if (own >= 0 && own != g) return std::nullopt;
    own = g;
  }
  return result;
}

}  // namespace topolaunch::mapping
