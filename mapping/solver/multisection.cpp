// SPDX-License-Identifier: Apache-2.0
#include "mapping/solver/multisection.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "mapping/index.h"
#include "mapping/solver/bisection.h"

namespace topolaunch::mapping {
namespace {

constexpr int kCycles = 3;
constexpr int kRounds = 2;  ///< of refinement between the parts of a block

/// Large graphs get by with less; free places leave a split more to choose from.
int runs_of(int count, int places, int tries) {
  if (count < places) return tries + tries / 2;
  return count > 20'000 ? std::max(1, tries / 2) : tries;
}

class Multisection {
 public:
  Multisection(const CommGraph& graph, int count, const PlaceTree& tree, int tries, Random& random, const Watch* watch)
      : graph_(graph), tree_(tree), runs_(runs_of(count, tree.places, tries)), random_(random), watch_(watch), place_(ix(count), -1),
        local_(ix(graph.n), -1), order_(ix(tree.places)) {
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(), [&](int p, int q) {
      for (int l = tree_.levels() - 1; l >= 0; --l)
        if (tree_.block[ix(l)][ix(p)] != tree_.block[ix(l)][ix(q)]) return tree_.block[ix(l)][ix(p)] < tree_.block[ix(l)][ix(q)];
      return false;
    });
    if (tree_.levels() == 0) return;
    std::vector<int> size(ix(tree_.blocks(0)), 0);
    for (const int b : tree_.block[0]) innermost_ = std::max(innermost_, ++size[ix(b)]);
  }

  std::vector<int> run() {
    std::vector<int> vertices(place_.size());
    std::iota(vertices.begin(), vertices.end(), 0);
    descend(std::move(vertices), 0, tree_.places, tree_.levels());
    return place_;
  }

 private:
  using Parts = std::vector<std::vector<int>>;

  /// Places order_[begin, end) are one block of `level`; its blocks one level down get their vertices.
  void descend(std::vector<int> vertices, int begin, int end, int level) {
    if (level == 0 || vertices.size() < 2 || stopped(watch_)) {
      for (int i = 0; i < count_of(vertices); ++i) place_[ix(vertices[ix(i)])] = order_[ix(begin + i)];
      return;
    }
    std::vector<int> starts;
    for (int i = begin; i < end; ++i)
      if (i == begin || tree_.block[ix(level - 1)][ix(order_[ix(i)])] != tree_.block[ix(level - 1)][ix(order_[ix(i - 1)])])
        starts.push_back(i);
    starts.push_back(end);
    Parts parts(starts.size() - 1);
    split(std::move(vertices), starts, 0, count_of(parts), parts);
    refine_pairs(starts, parts);
    for (int i = 0; i < count_of(parts); ++i)
      descend(std::move(parts[ix(i)]), starts[ix(i)], starts[ix(i) + 1], level - 1);
  }

  /// Blocks [first, last) of `starts` share the vertices out by bisection.
  void split(std::vector<int> vertices, const std::vector<int>& starts, int first, int last, Parts& parts) {
    if (last - first == 1) {
      parts[ix(first)] = std::move(vertices);
      return;
    }
    if (vertices.empty()) return;
    const int middle = (first + last) / 2;
    const int places0 = starts[ix(middle)] - starts[ix(first)], places1 = starts[ix(last)] - starts[ix(middle)];
    const auto side = bisect(subgraph(vertices), sizes(count_of(vertices), places0, places1), effort(count_of(vertices)), random_);
    std::vector<int> left, right;
    for (std::size_t i = 0; i < vertices.size(); ++i) (side[i] == 0 ? left : right).push_back(vertices[i]);
    vertices = {};
    split(std::move(left), starts, first, middle, parts);
    split(std::move(right), starts, middle, last, parts);
  }

  /// Parts of one block that talk to each other refine the border between them: bisection has drawn it before
  /// it knew their other neighbours.
  void refine_pairs(const std::vector<int>& starts, Parts& parts) {
    if (parts.size() < 3) return;
    std::vector<char> changed(parts.size(), 1);
    for (int round = 0; round < kRounds && !stopped(watch_); ++round) {
      const auto was = changed;
      changed.assign(parts.size(), 0);
      for (const auto& [weight, a, b] : borders(parts)) {
        if (!was[ix(a)] && !was[ix(b)]) continue;
        const int size0 = count_of(parts[ix(a)]);
        auto vertices = parts[ix(a)];
        vertices.insert(vertices.end(), parts[ix(b)].begin(), parts[ix(b)].end());
        std::vector<char> side(vertices.size(), 1);
        std::fill(side.begin(), side.begin() + size0, char{0});
        auto range = sizes(count_of(vertices), starts[ix(a) + 1] - starts[ix(a)], starts[ix(b) + 1] - starts[ix(b)]);
        range = {std::min(range.low, size0), std::max(range.high, size0)};
        const auto pair = subgraph(vertices);
        ones_.resize(std::max(ones_.size(), vertices.size()), 1);
        FmRefiner refiner(pair, ones_, 1, range);
        refiner.run(side);
        if (refiner.cut() >= weight) continue;
        changed[ix(a)] = changed[ix(b)] = 1;
        parts[ix(a)].clear();
        parts[ix(b)].clear();
        for (std::size_t i = 0; i < vertices.size(); ++i) parts[ix(side[i] == 0 ? a : b)].push_back(vertices[i]);
      }
    }
  }

  struct Border {
    std::int64_t weight;
    int a, b;
  };
  /// Pairs of parts with edges between them, the heaviest first.
  std::vector<Border> borders(const Parts& parts) {
    for (int i = 0; i < count_of(parts); ++i)
      for (const int v : parts[ix(i)]) local_[ix(v)] = i;
    std::vector<Border> result;
    std::vector<std::int64_t> to(parts.size(), 0);
    std::vector<int> touched;
    for (int i = 0; i < count_of(parts); ++i) {
      touched.clear();
      for (const int v : parts[ix(i)])
        for (std::size_t e = graph_.first[ix(v)]; e < graph_.first[ix(v) + 1]; ++e) {
          const int other = local_[ix(graph_.to[e])];
          if (other <= i) continue;
          if (to[ix(other)] == 0) touched.push_back(other);
          to[ix(other)] += graph_.weight[e];
        }
      for (const int other : touched) result.push_back({std::exchange(to[ix(other)], 0), i, other});
    }
    for (const auto& part : parts)
      for (const int v : part) local_[ix(v)] = -1;
    std::sort(result.begin(), result.end(), [](const Border& x, const Border& y) {
      return x.weight != y.weight ? x.weight > y.weight : std::pair(x.a, x.b) < std::pair(y.a, y.b);
    });
    return result;
  }

  /// How many of n vertices may go to the first of two sets of places. Free places are slack, of which each
  /// of the splits still to come wants its part.
  SizeRange sizes(int n, int places0, int places1) const {
    const double places = places0 + places1;
    const double splits = std::max(1.0, std::log2(places / innermost_));
    const double slack = std::pow(places / n, 1 / splits);
    const auto most = [&](int own) { return std::min(own, static_cast<int>(n * (own / places) * slack + 1e-9)); };
    int high = most(places0), low = n - most(places1);
    if (low > high) {
      // Less than a vertex of slack.
      high = std::min(places0, static_cast<int>(std::lround(n * (places0 / places))));
      low = high = std::max(high, n - places1);
    }
    return {low, high};
  }

  /// Every level of splits costs about the same; the tiny ones are solved by any run, the large ones are the
  /// better served by cycles.
  BisectionEffort effort(int n) const {
    const int runs = n > 20'000 ? 1 : n > 4000 || n <= 60 ? std::max(1, runs_ / 2) : runs_;
    return {runs, kCycles};
  }

  CommGraph subgraph(const std::vector<int>& vertices) {
    for (int i = 0; i < count_of(vertices); ++i) local_[ix(vertices[ix(i)])] = i;
    CommGraph sub;
    sub.n = count_of(vertices);
    sub.first.assign(1, 0);
    for (const int v : vertices) {
      for (std::size_t e = graph_.first[ix(v)]; e < graph_.first[ix(v) + 1]; ++e) {
        const int u = local_[ix(graph_.to[e])];
        if (u < 0) continue;
        sub.to.push_back(u);
        sub.weight.push_back(graph_.weight[e]);
      }
      sub.first.push_back(sub.to.size());
    }
    for (const int v : vertices) local_[ix(v)] = -1;
    return sub;
  }

  const CommGraph& graph_;
  const PlaceTree& tree_;
  int runs_;
  Random& random_;
  const Watch* watch_;
  std::vector<int> place_, local_, order_, ones_;
  int innermost_ = 1;  ///< places of the largest innermost block
};

}  // namespace

std::vector<int> multisect(const CommGraph& graph, int count, const PlaceTree& tree, int tries, Random& random,
                           const Watch* watch) {
  return Multisection(graph, count, tree, tries, random, watch).run();
}

}  // namespace topolaunch::mapping
