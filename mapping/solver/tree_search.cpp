// SPDX-License-Identifier: Apache-2.0
#include "mapping/solver/tree_search.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "mapping/index.h"
#include "mapping/solver/contraction.h"
#include "mapping/solver/grid.h"
#include "mapping/solver/multisection.h"
#include "mapping/solver/swaps.h"
#include "mapping/solver/tabu.h"

namespace topolaunch::mapping {
namespace {

constexpr std::size_t kTilings = 8;

/// Places of every block of a level in tree order, and a number for each shape of block: blocks of one shape
/// can change places as a whole.
struct Blocks {
  std::vector<std::vector<int>> places;
  std::vector<int> shape;
};

Blocks blocks_of(const PlaceTree& tree, int level) {
  Blocks result;
  result.places.resize(ix(tree.blocks(level)));
  std::vector<int> order(ix(tree.places));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int p, int q) {
    for (int l = tree.levels() - 1; l >= 0; --l)
      if (tree.block[ix(l)][ix(p)] != tree.block[ix(l)][ix(q)]) return tree.block[ix(l)][ix(p)] < tree.block[ix(l)][ix(q)];
    return false;
  });
  for (const int p : order) result.places[ix(tree.block[ix(level)][ix(p)])].push_back(p);
  // The shape: at which level each place parts from the one before it.
  std::map<std::vector<int>, int> shapes;
  for (const auto& places : result.places) {
    std::vector<int> key;
    for (std::size_t i = 1; i < places.size(); ++i) key.push_back(tree.level_between(places[i - 1], places[i]));
    result.shape.push_back(shapes.emplace(std::move(key), count_of(shapes)).first->second);
  }
  return result;
}

/// Free places as further vertices.
std::vector<int> with_free_places(std::vector<int> place, int places) {
  std::vector<char> taken(ix(places), 0);
  for (const int p : place) taken[ix(p)] = 1;
  for (int p = 0; p < places; ++p)
    if (!taken[ix(p)]) place.push_back(p);
  return place;
}

class Search {
 public:
  /// `graph` has a vertex for every place; those from `ranks` on have no edges.
  Search(const CommGraph& graph, int ranks, const PlaceTree& tree, std::uint64_t seed, SearchEffort effort,
         const std::vector<char>& fixed)
      : graph_(graph), ranks_(ranks), tree_(tree), random_(seed), effort_(effort), fixed_(fixed) {}

  std::vector<int> run(const std::vector<std::vector<int>>& starts) {
    const std::int64_t all = std::int64_t{1} << 60;
    for (const auto& start : starts) keep(start);
    if (tree_.levels() == 0 || graph_.arcs() == 0) {
      if (best_.empty()) identity();
      return best_;
    }
    const auto refine = [&](std::vector<int> place) {
      if (fixed_.empty()) place = swap_blocks(graph_, tree_, std::move(place), all, random_);
      Swaps swaps(graph_, tree_, std::move(place), fixed_);
      swaps.watch(effort_.watch);
      swaps.descend(all);
      keep(swaps.place());
    };
    if (fixed_.empty()) {
      // A stencil on equal blocks: boxes, which swaps then hardly ever improve.
      if (const auto grid = find_grid(graph_))
        for (auto& tiling : grid_tilings(*grid, tree_, kTilings)) {
          keep(std::move(tiling));
          tiled_ = true;
        }
      if (stopped(effort_.watch)) return finished();
      if (const auto smaller = contract(graph_, tree_)) {
        std::vector<std::vector<int>> small_starts;
        for (const auto& start : starts)
          if (auto place = restrict_to_parts(*smaller, start)) small_starts.push_back(std::move(*place));
        auto deeper = effort_;
        deeper.starts = effort_.starts * 4;  // small graphs are cheap
        keep(expand(*smaller, search_tree(smaller->graph, smaller->tree, small_starts, random_.next(), deeper)));
        contracted_ = true;
      }
      for (int s = 0; s < multisections() && !stopped(effort_.watch); ++s)
        refine(with_free_places(multisect(graph_, ranks_, tree_, effort_.tries, random_, effort_.watch), tree_.places));
    }
    // Starts that are far behind would only take long.
    const Wide near = best_.empty() ? 0 : best_cost_ + best_cost_ / 4;
    for (const auto& start : starts)
      if (!stopped(effort_.watch) && hop_bytes(graph_, tree_, start) <= near) refine(start);
    if (best_.empty()) identity();
    if (stopped(effort_.watch)) return best_;
    Swaps swaps(graph_, tree_, best_, fixed_);
    swaps.watch(effort_.watch);
    swaps.iterate(contracted_ ? effort_.swaps / 4 : effort_.swaps, random_);
    if (fixed_.empty()) keep(swap_blocks(graph_, tree_, swaps.place(), all, random_));
    keep(swaps.place());
    // The same work at any size: a swap of the tabu search looks at all pairs.
    if (fixed_.empty() && graph_.n <= kTabuPlaces && tree_.levels() > 0 && !tiled_)
      keep(tabu_on_tree(graph_, tree_, best_, 16 * effort_.swaps / (std::int64_t{graph_.n} * graph_.n), random_, effort_.watch));
    return best_;
  }

 private:
  /// Large graphs get fewer starts, where one takes seconds; so do those that are solved by their structure.
  int multisections() const {
    if (tiled_) return 0;
    const std::size_t size = graph_.arcs() + ix(graph_.n);
    if (contracted_ || size > 60'000) return std::min(effort_.starts, 1);
    return size > 10'000 ? std::min(effort_.starts, std::max(1, effort_.starts / 2)) : effort_.starts;
  }

  std::vector<int> finished() {
    if (best_.empty()) identity();
    return best_;
  }

  void identity() {
    std::vector<int> place(ix(graph_.n));
    std::iota(place.begin(), place.end(), 0);
    keep(std::move(place));
  }

  void keep(std::vector<int> place) {
    const Wide cost = hop_bytes(graph_, tree_, place);
    if (!best_.empty() && cost >= best_cost_) return;
    best_ = std::move(place);
    best_cost_ = cost;
  }

  const CommGraph& graph_;
  int ranks_;
  const PlaceTree& tree_;
  Random random_;
  SearchEffort effort_;
  const std::vector<char>& fixed_;
  std::vector<int> best_;
  Wide best_cost_ = 0;
  bool tiled_ = false, contracted_ = false;
};

}  // namespace

std::vector<int> swap_blocks(const CommGraph& graph, const PlaceTree& tree, std::vector<int> place,
                             std::int64_t budget, Random& random) {
  for (int level = tree.levels() - 2; level >= 0; --level) {
    const auto blocks = blocks_of(tree, level);
    std::vector<int> part(ix(graph.n));
    for (int v = 0; v < graph.n; ++v) part[ix(v)] = tree.block[ix(level)][ix(place[ix(v)])];
    const auto coarse = quotient(graph, part, count_of(blocks.places));
    const auto coarse_tree = block_tree(tree, level);
    std::vector<int> start(blocks.places.size());
    std::iota(start.begin(), start.end(), 0);
    Swaps swaps(coarse, coarse_tree, start, {}, blocks.shape);
    swaps.descend(budget);
    if (coarse.n <= 2048) swaps.iterate(std::min<std::int64_t>(budget, 20 * coarse.n), random);
    // The k-th place of a block goes to the k-th place of its new one.
    std::vector<int> moved(ix(tree.places));
    for (int b = 0; b < coarse.n; ++b) {
      const auto& from = blocks.places[ix(b)];
      const auto& to = blocks.places[ix(swaps.place()[ix(b)])];
      for (std::size_t k = 0; k < from.size(); ++k) moved[ix(from[k])] = to[k];
    }
    for (int& p : place) p = moved[ix(p)];
  }
  return place;
}

std::vector<int> search_tree(const CommGraph& graph, const PlaceTree& tree,
                             const std::vector<std::vector<int>>& starts, std::uint64_t seed, SearchEffort effort,
                             const std::vector<char>& fixed) {
  if (graph.n == tree.places) return Search(graph, graph.n, tree, seed, effort, fixed).run(starts);
  auto padded = graph;
  padded.n = tree.places;
  padded.first.resize(ix(padded.n) + 1, graph.first.back());
  auto padded_starts = starts;
  for (auto& start : padded_starts) start = with_free_places(std::move(start), tree.places);
  auto padded_fixed = fixed;
  if (!fixed.empty()) padded_fixed.resize(ix(padded.n), 0);
  auto place = Search(padded, graph.n, tree, seed, effort, padded_fixed).run(padded_starts);
  place.resize(ix(graph.n));
  return place;
}

}  // namespace topolaunch::mapping
