// SPDX-License-Identifier: Apache-2.0
#include "mapping/solver/bisection.h"

#include <algorithm>
#include <deque>
#include <numeric>

#include "mapping/index.h"

namespace topolaunch::mapping {
namespace {

constexpr int kCoarsest = 60;  ///< vertices at which growth starts
constexpr int kGrowths = 6;    ///< starts of growth

/// A graph with vertex weights, and how it becomes the next coarser one.
struct Layer {
  const CommGraph* graph = nullptr;
  CommGraph own;            ///< what `graph` is, except on the finest layer
  std::vector<int> weight;
  std::vector<int> coarse;  ///< vertex -> vertex of the next coarser layer
  int heaviest = 1;
  int n() const { return graph->n; }
};

/// Layers stay where they are: each points to its graph.
using Layers = std::deque<Layer>;

/// Heavy-edge matching. No pair that would be over `limit`, or that `side` parts, is made; vertices without
/// edges are matched with each other.
void coarsen(Layers& layers, int limit, Random& random, const std::vector<char>* side) {
  auto& fine = layers.back();
  const auto& graph = *fine.graph;
  const int n = graph.n;
  std::vector<int> order(ix(n));
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(order);
  fine.coarse.assign(ix(n), -1);
  int next = 0;
  for (const int u : order) {
    if (fine.coarse[ix(u)] >= 0) continue;
    int best = -1;
    double most = 0;
    for (std::size_t e = graph.first[ix(u)]; e < graph.first[ix(u) + 1]; ++e) {
      const int v = graph.to[e];
      if (fine.coarse[ix(v)] >= 0 || fine.weight[ix(u)] + fine.weight[ix(v)] > limit) continue;
      if (side != nullptr && (*side)[ix(u)] != (*side)[ix(v)]) continue;
      // Weight per size of the pair keeps clusters even.
      const double rating =
          static_cast<double>(graph.weight[e]) / (static_cast<double>(fine.weight[ix(u)]) * fine.weight[ix(v)]);
      if (rating > most) most = rating, best = v;
    }
    fine.coarse[ix(u)] = next;
    if (best >= 0) fine.coarse[ix(best)] = next;
    ++next;
  }
  auto& result = layers.emplace_back();
  const auto& from = layers[layers.size() - 2];
  result.own = quotient(graph, from.coarse, next);
  result.graph = &result.own;
  result.weight.assign(ix(next), 0);
  for (int v = 0; v < n; ++v) result.weight[ix(from.coarse[ix(v)])] += from.weight[ix(v)];
  for (const int w : result.weight) result.heaviest = std::max(result.heaviest, w);
}

/// Grows side 0 from a random vertex, always the neighbour with the most weight inside.
std::vector<char> grow(const Layer& layer, int target, Random& random) {
  const int n = layer.n();
  std::vector<char> side(ix(n), 1);
  std::vector<std::int64_t> inside(ix(n), 0);
  int size = 0;
  int next = static_cast<int>(random.below(static_cast<std::uint64_t>(n)));
  while (size < target && next >= 0) {
    if (size > 0 && size + layer.weight[ix(next)] - target > target - size) break;
    side[ix(next)] = 0;
    size += layer.weight[ix(next)];
    for (std::size_t e = layer.graph->first[ix(next)]; e < layer.graph->first[ix(next) + 1]; ++e)
      inside[ix(layer.graph->to[e])] += layer.graph->weight[e];
    next = -1;
    for (int v = 0; v < n; ++v)
      if (side[ix(v)] == 1 && (next < 0 || inside[ix(v)] > inside[ix(next)])) next = v;
  }
  return side;
}

/// The best of several growths on the coarsest layer.
std::vector<char> first_sides(const Layer& layer, SizeRange range, Random& random, Wide& cut) {
  std::vector<char> best;
  int best_outside = 0;
  const int growths = layer.n() > 2000 ? 2 : kGrowths;
  FmRefiner refiner(*layer.graph, layer.weight, layer.heaviest, range);
  for (int g = 0; g < growths; ++g) {
    auto side = grow(layer, range.middle(), random);
    refiner.run(side);
    const int outside = refiner.outside() <= layer.heaviest ? 0 : refiner.outside();
    if (!best.empty() && (outside > best_outside || (outside == best_outside && refiner.cut() >= cut))) continue;
    best = std::move(side);
    cut = refiner.cut();
    best_outside = outside;
  }
  return best;
}

/// One run from the finest layer down and up again; from `start`, coarsened along its sides, where it is given.
std::vector<char> run(Layers& layers, SizeRange range, Random& random, Wide& cut, std::vector<char> start = {}) {
  layers.resize(1);
  const int n = layers.front().n();
  const int limit = std::max(1, std::min({n / 20, range.middle() / 3, (n - range.middle()) / 3}));
  const bool again = !start.empty();
  auto side = std::move(start);
  while (layers.back().n() > kCoarsest) {
    coarsen(layers, limit, random, again ? &side : nullptr);
    const auto& fine = layers[layers.size() - 2];
    if (layers.back().n() > fine.n() * 95 / 100) {
      layers.pop_back();
      break;
    }
    if (!again) continue;
    std::vector<char> coarse(ix(layers.back().n()));
    for (int v = 0; v < fine.n(); ++v) coarse[ix(fine.coarse[ix(v)])] = side[ix(v)];
    side = std::move(coarse);
  }
  if (!again) side = first_sides(layers.back(), range, random, cut);
  for (int l = count_of(layers) - (again ? 1 : 2); l >= 0; --l) {
    const auto& layer = layers[ix(l)];
    if (l + 1 < count_of(layers)) {
      std::vector<char> fine(ix(layer.n()));
      for (int v = 0; v < layer.n(); ++v) fine[ix(v)] = side[ix(layer.coarse[ix(v)])];
      side = std::move(fine);
    }
    FmRefiner refiner(*layer.graph, layer.weight, layer.heaviest, range);
    refiner.run(side);
    cut = refiner.cut();
  }
  return side;
}

int size_of(const std::vector<char>& side) {
  return static_cast<int>(std::count(side.begin(), side.end(), char{0}));
}

}  // namespace

std::vector<char> bisect(const CommGraph& graph, SizeRange size0, BisectionEffort effort, Random& random) {
  if (size0.high <= 0 || size0.low >= graph.n) return std::vector<char>(ix(graph.n), size0.high <= 0 ? 1 : 0);
  Layers layers(1);
  layers.front().graph = &graph;
  layers.front().weight.assign(ix(graph.n), 1);
  std::vector<char> best;
  Wide best_cut = 0;
  int best_outside = 0;
  const auto keep = [&](std::vector<char> side, Wide cut) {
    const int outside = size0.outside(size_of(side));
    if (!best.empty() && std::pair(outside, cut) >= std::pair(best_outside, best_cut)) return false;
    best = std::move(side);
    best_cut = cut;
    best_outside = outside;
    return true;
  };
  Wide cut = 0;
  for (int r = 0; r < effort.runs && (r == 0 || best_cut > 0); ++r) {
    auto side = run(layers, size0, random, cut);
    keep(std::move(side), cut);
  }
  for (int c = 0; c < effort.cycles && best_cut > 0 && graph.n > kCoarsest; ++c) {
    auto side = run(layers, size0, random, cut, best);
    if (!keep(std::move(side), cut)) break;
  }
  // FM ends inside the range, but a graph without edges on the boundary may not.
  int size = size_of(best);
  for (int v = 0; v < graph.n && size0.outside(size) > 0; ++v) {
    if (size > size0.high && best[ix(v)] == 0) best[ix(v)] = 1, --size;
    else if (size < size0.low && best[ix(v)] == 1) best[ix(v)] = 0, ++size;
  }
  return best;
}

}  // namespace topolaunch::mapping
