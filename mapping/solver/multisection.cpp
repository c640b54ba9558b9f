// SPDX-License-Identifier: Apache-2.0
#include "mapping/solver/multisection.h"

#include <algorithm>
#include <numeric>

#include "mapping/index.h"
#include "mapping/solver/bisection.h"

namespace topolaunch::mapping {
namespace {

class Multisection {
 public:
  Multisection(const CommGraph& graph, const PlaceTree& tree, int tries, Random& random, const Watch* watch)
      : graph_(graph), tree_(tree), tries_(tries), random_(random), watch_(watch), place_(ix(graph.n), -1),
        local_(ix(graph.n), -1), order_(ix(tree.places)) {
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(), [&](int p, int q) {
      for (int l = tree_.levels() - 1; l >= 0; --l)
        if (tree_.block[ix(l)][ix(p)] != tree_.block[ix(l)][ix(q)]) return tree_.block[ix(l)][ix(p)] < tree_.block[ix(l)][ix(q)];
      return false;
    });
  }

  std::vector<int> run() {
    std::vector<int> vertices(ix(graph_.n));
    std::iota(vertices.begin(), vertices.end(), 0);
    descend(std::move(vertices), 0, tree_.places, tree_.levels());
    return place_;
  }

 private:
  /// Places order_[begin, end) are one block of `level`; its blocks one level down get their vertices.
  void descend(std::vector<int> vertices, int begin, int end, int level) {
    if (level == 0 || stopped(watch_)) {
      for (int i = begin; i < end; ++i) place_[ix(vertices[ix(i - begin)])] = order_[ix(i)];
      return;
    }
    std::vector<int> starts;
    for (int i = begin; i < end; ++i)
      if (i == begin || tree_.block[ix(level - 1)][ix(order_[ix(i)])] != tree_.block[ix(level - 1)][ix(order_[ix(i - 1)])])
        starts.push_back(i);
    starts.push_back(end);
    split(std::move(vertices), starts, 0, count_of(starts) - 1, level);
  }

  /// Blocks [first, last) of `starts` share the vertices out by bisection.
  void split(std::vector<int> vertices, const std::vector<int>& starts, int first, int last, int level) {
    if (last - first == 1) return descend(std::move(vertices), starts[ix(first)], starts[ix(last)], level - 1);
    const int middle = (first + last) / 2;
    const int size0 = starts[ix(middle)] - starts[ix(first)];
    const auto side = bisect(subgraph(vertices), size0, tries(count_of(vertices)), random_);
    std::vector<int> left, right;
    left.reserve(ix(size0));
    for (std::size_t i = 0; i < vertices.size(); ++i) (side[i] == 0 ? left : right).push_back(vertices[i]);
    vertices = {};
    split(std::move(left), starts, first, middle, level);
    split(std::move(right), starts, middle, last, level);
  }

  int tries(int n) const { return n > 20000 ? 1 : n > 4000 ? std::max(1, tries_ / 2) : tries_; }

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
  int tries_;
  Random& random_;
  const Watch* watch_;
  std::vector<int> place_, local_, order_;
};

}  // namespace

std::vector<int> multisect(const CommGraph& graph, const PlaceTree& tree, int tries, Random& random,
                           const Watch* watch) {
  return Multisection(graph, tree, tries, random, watch).run();
}

}  // namespace topolaunch::mapping
