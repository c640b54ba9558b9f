// SPDX-License-Identifier: Apache-2.0
#include "mapping/solver/bisection.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <queue>

#include "mapping/index.h"

namespace topolaunch::mapping {
namespace {

constexpr int kCoarsest = 60;      ///< vertices at which growth starts
constexpr int kGrowths = 6;        ///< starts of growth
constexpr int kPasses = 6;         ///< FM passes a level at most

/// A graph with vertex weights and a bisection of it.
struct Layer {
  CommGraph graph;
  std::vector<int> weight;
  std::vector<int> coarse;  ///< vertex -> vertex of the next coarser layer
  int heaviest = 1;
};

/// Heavy-edge matching; a pair that would be over `limit` is not made.
Layer coarsen(Layer& fine, int limit, Random& random) {
  const int n = fine.graph.n;
  std::vector<int> order(ix(n));
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(order);
  fine.coarse.assign(ix(n), -1);
  int next = 0;
  for (const int u : order) {
    if (fine.coarse[ix(u)] >= 0) continue;
    int best = -1;
    double most = 0;
    for (std::size_t e = fine.graph.first[ix(u)]; e < fine.graph.first[ix(u) + 1]; ++e) {
      const int v = fine.graph.to[e];
      if (fine.coarse[ix(v)] >= 0 || fine.weight[ix(u)] + fine.weight[ix(v)] > limit) continue;
      // Weight per size of the pair keeps clusters even.
      const double rating = static_cast<double>(fine.graph.weight[e]) / (static_cast<double>(fine.weight[ix(u)]) * fine.weight[ix(v)]);
      if (rating > most) most = rating, best = v;
    }
    fine.coarse[ix(u)] = next;
    if (best >= 0) fine.coarse[ix(best)] = next;
    ++next;
  }
  Layer result;
  result.graph = quotient(fine.graph, fine.coarse, next);
  result.weight.assign(ix(next), 0);
  for (int v = 0; v < n; ++v) result.weight[ix(fine.coarse[ix(v)])] += fine.weight[ix(v)];
  for (const int w : result.weight) result.heaviest = std::max(result.heaviest, w);
  return result;
}

class Refiner {
 public:
  Refiner(const Layer& layer, std::vector<char>& side, int target, int tolerance)
      : layer_(layer), side_(side), target_(target), tolerance_(tolerance), gain_(ix(layer.graph.n)),
        locked_(ix(layer.graph.n), 0) {
    for (int v = 0; v < layer.graph.n; ++v)
      if (side_[ix(v)] == 0) size0_ += layer.weight[ix(v)];
  }

  void run() {
    for (int pass = 0; pass < kPasses; ++pass)
      if (!one_pass()) break;
  }

  Wide cut() const {
    Wide sum = 0;
    for (int v = 0; v < layer_.graph.n; ++v)
      for (std::size_t e = layer_.graph.first[ix(v)]; e < layer_.graph.first[ix(v) + 1]; ++e)
        if (side_[ix(v)] != side_[ix(layer_.graph.to[e])]) sum += layer_.graph.weight[e];
    return sum / 2;
  }
  int imbalance() const { return std::abs(size0_ - target_); }

 private:
  struct Entry {
    std::int64_t gain;
    int vertex;
    bool operator<(const Entry& other) const {
      return gain != other.gain ? gain < other.gain : vertex > other.vertex;
    }
  };
  using Heap = std::priority_queue<Entry>;

  std::int64_t compute_gain(int v, bool& boundary) const {
    std::int64_t gain = 0;
    boundary = false;
    for (std::size_t e = layer_.graph.first[ix(v)]; e < layer_.graph.first[ix(v) + 1]; ++e) {
      if (side_[ix(v)] != side_[ix(layer_.graph.to[e])]) gain += layer_.graph.weight[e], boundary = true;
      else gain -= layer_.graph.weight[e];
    }
    return gain;
  }

  /// Best unlocked vertex of a heap whose entry is up to date; -1 if none.
  int top(int side) {
    auto& heap = heap_[side];
    while (!heap.empty()) {
      const auto entry = heap.top();
      if (!locked_[ix(entry.vertex)] && side_[ix(entry.vertex)] == side && gain_[ix(entry.vertex)] == entry.gain)
        return entry.vertex;
      heap.pop();
    }
    return -1;
  }

  void push_all(int side) {
    for (int v = 0; v < layer_.graph.n; ++v)
      if (side_[ix(v)] == side && !locked_[ix(v)]) heap_[side].push({gain_[ix(v)], v});
  }

  bool one_pass() {
    const int n = layer_.graph.n;
    const bool all = n <= 1000;
    heap_[0] = Heap();
    heap_[1] = Heap();
    std::fill(locked_.begin(), locked_.end(), char{0});
    for (int v = 0; v < n; ++v) {
      bool boundary = false;
      gain_[ix(v)] = compute_gain(v, boundary);
      if (boundary || all) heap_[static_cast<int>(side_[ix(v)])].push({gain_[ix(v)], v});
    }
    std::vector<int> moved;
    Wide change = 0, best_change = 0;
    int best_imbalance = imbalance();
    std::size_t best_length = 0;
    const int start_imbalance = best_imbalance;
    const int patience = 60 + n / 50;
    int since = 0;
    while (since < patience) {
      // From the side that is too big; else from where the better move is.
      int from = -1;
      if (size0_ > target_ + tolerance_ || (size0_ > target_ && imbalance() > tolerance_)) from = 0;
      else if (size0_ < target_ - tolerance_) from = 1;
      int v = -1;
      if (from >= 0) {
        v = top(from);
        if (v < 0) {
          push_all(from);
          v = top(from);
        }
      } else {
        for (int s = 0; s < 2; ++s) {
          const int candidate = top(s);
          if (candidate < 0) continue;
          const int after = size0_ + (s == 0 ? -1 : 1) * layer_.weight[ix(candidate)];
          if (std::abs(after - target_) > std::max(tolerance_, imbalance())) continue;
          if (v < 0 || gain_[ix(candidate)] > gain_[ix(v)] ||
              (gain_[ix(candidate)] == gain_[ix(v)] && std::abs(after - target_) < imbalance()))
            v = candidate;
        }
      }
      if (v < 0) break;
      const int side = side_[ix(v)];
      heap_[side].pop();
      locked_[ix(v)] = 1;
      change -= gain_[ix(v)];
      side_[ix(v)] = static_cast<char>(1 - side);
      size0_ += (side == 0 ? -1 : 1) * layer_.weight[ix(v)];
      moved.push_back(v);
      for (std::size_t e = layer_.graph.first[ix(v)]; e < layer_.graph.first[ix(v) + 1]; ++e) {
        const int u = layer_.graph.to[e];
        if (locked_[ix(u)]) continue;
        gain_[ix(u)] += side_[ix(u)] == side ? 2 * layer_.graph.weight[e] : -2 * layer_.graph.weight[e];
        heap_[static_cast<int>(side_[ix(u)])].push({gain_[ix(u)], u});
      }
      ++since;
      const int now = imbalance();
      const bool nearer = best_imbalance > tolerance_target() && now < best_imbalance;
      const bool lighter = now <= std::max(tolerance_target(), best_imbalance) &&
                           (change < best_change || (change == best_change && now < best_imbalance));
      if (nearer || (now <= tolerance_target() && lighter)) {
        best_change = change;
        best_imbalance = now;
        best_length = moved.size();
        since = 0;
      }
    }
    // Back to the best prefix.
    while (moved.size() > best_length) {
      const int v = moved.back();
      moved.pop_back();
      const int side = side_[ix(v)];
      side_[ix(v)] = static_cast<char>(1 - side);
      size0_ += (side == 0 ? -1 : 1) * layer_.weight[ix(v)];
    }
    return best_change < 0 || best_imbalance < start_imbalance;
  }

  /// How far from the target a state may be that counts: exact where vertices are single.
  int tolerance_target() const { return layer_.heaviest == 1 ? 0 : tolerance_; }

  const Layer& layer_;
  std::vector<char>& side_;
  int target_, tolerance_;
  int size0_ = 0;
  std::vector<std::int64_t> gain_;
  std::vector<char> locked_;
  Heap heap_[2];
};

/// Grows side 0 from a random vertex, always the neighbour with the most weight inside.
std::vector<char> grow(const Layer& layer, int target, Random& random) {
  const int n = layer.graph.n;
  std::vector<char> side(ix(n), 1);
  std::vector<std::int64_t> inside(ix(n), 0);
  int size = 0;
  int next = static_cast<int>(random.below(static_cast<std::uint64_t>(n)));
  while (size < target && next >= 0) {
    if (size > 0 && size + layer.weight[ix(next)] - target > target - size) break;
    side[ix(next)] = 0;
    size += layer.weight[ix(next)];
    for (std::size_t e = layer.graph.first[ix(next)]; e < layer.graph.first[ix(next) + 1]; ++e)
      inside[ix(layer.graph.to[e])] += layer.graph.weight[e];
    next = -1;
    for (int v = 0; v < n; ++v)
      if (side[ix(v)] == 1 && (next < 0 || inside[ix(v)] > inside[ix(next)])) next = v;
  }
  return side;
}

std::vector<char> one_run(const Layer& finest, int size0, Random& random, Wide& cut) {
  std::vector<Layer> layers;
  layers.push_back(finest);
  const int n = finest.graph.n;
  const int limit = std::max(1, std::min({n / 20, size0 / 3, (n - size0) / 3}));
  while (layers.back().graph.n > kCoarsest) {
    auto next = coarsen(layers.back(), limit, random);
    if (next.graph.n > layers.back().graph.n * 95 / 100) {
      layers.back().coarse.clear();
      break;
    }
    layers.push_back(std::move(next));
  }
  std::vector<char> best;
  Wide best_cut = 0;
  int best_imbalance = 0;
  const auto& coarsest = layers.back();
  const int growths = coarsest.graph.n > 2000 ? 2 : kGrowths;
  for (int g = 0; g < growths; ++g) {
    auto side = grow(coarsest, size0, random);
    Refiner refiner(coarsest, side, size0, coarsest.heaviest);
    refiner.run();
    const Wide c = refiner.cut();
    const int imbalance = refiner.imbalance() <= coarsest.heaviest ? 0 : refiner.imbalance();
    if (best.empty() || imbalance < best_imbalance || (imbalance == best_imbalance && c < best_cut)) {
      best = side;
      best_cut = c;
      best_imbalance = imbalance;
    }
  }
  for (int l = count_of(layers) - 2; l >= 0; --l) {
    const auto& layer = layers[ix(l)];
    std::vector<char> side(ix(layer.graph.n));
    for (int v = 0; v < layer.graph.n; ++v) side[ix(v)] = best[ix(layer.coarse[ix(v)])];
    Refiner refiner(layer, side, size0, layer.heaviest);
    refiner.run();
    if (l == 0) best_cut = refiner.cut();
    best = std::move(side);
  }
  cut = best_cut;
  return best;
}

}  // namespace

std::vector<char> bisect(const CommGraph& graph, int size0, int tries, Random& random) {
  if (size0 <= 0 || size0 >= graph.n) return std::vector<char>(ix(graph.n), size0 <= 0 ? 1 : 0);
  Layer finest;
  finest.graph = graph;
  finest.weight.assign(ix(graph.n), 1);
  std::vector<char> best;
  Wide best_cut = 0;
  for (int t = 0; t < tries; ++t) {
    Wide cut = 0;
    auto side = one_run(finest, size0, random, cut);
    if (best.empty() || cut < best_cut) best = std::move(side), best_cut = cut;
    if (best_cut == 0) break;
  }
  // The guard for exactness: FM ends exact, but a graph without edges on the boundary may not.
  int size = static_cast<int>(std::count(best.begin(), best.end(), char{0}));
  for (int v = 0; v < graph.n && size != size0; ++v) {
    if (size > size0 && best[ix(v)] == 0) best[ix(v)] = 1, --size;
    else if (size < size0 && best[ix(v)] == 1) best[ix(v)] = 0, ++size;
  }
  return best;
}

}  // namespace topolaunch::mapping
