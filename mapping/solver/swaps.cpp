// SPDX-License-Identifier: Apache-2.0
#include "mapping/solver/swaps.h"

#include <algorithm>
#include <limits>

#include "mapping/index.h"

namespace topolaunch::mapping {

Swaps::Swaps(const CommGraph& graph, const PlaceTree& tree, std::vector<int> place, std::vector<char> fixed,
             std::vector<int> kind)
    : graph_(graph), tree_(tree), place_(std::move(place)), vertex_(ix(tree.places), -1), fixed_(std::move(fixed)),
      kind_(std::move(kind)), queued_(ix(graph.n), 0) {
  for (int v = 0; v < graph.n; ++v) vertex_[ix(place_[ix(v)])] = v;
  if (tree.levels() > 0) {
    inner_.resize(ix(tree.blocks(0)));
    for (int p = 0; p < tree.places; ++p) inner_[ix(tree.block[0][ix(p)])].push_back(p);
  } else {
    // One flat set of places: all are one block, and swaps change nothing.
    inner_.resize(1);
  }
  seen_.assign(inner_.size(), 0);
  make_codes();
  cost_ = mapping::hop_bytes(graph, tree, place_);
  std::int64_t farthest = 1;
  for (const auto d : tree.distance) farthest = std::max(farthest, d);
  narrow_ = graph.total() * 2 < static_cast<Wide>(std::numeric_limits<std::int64_t>::max() / 4 / farthest);
}

void Swaps::make_codes() {
  code_.assign(ix(tree_.places), 0);
  distance_.fill(tree_.distance[0]);
  // Blocks are numbered within the block around them, so that all numbers of a path fit 64 bits.
  int low = 0;
  for (int l = 0; l < tree_.levels(); ++l) {
    const bool outermost = l + 1 == tree_.levels();
    std::vector<int> number(ix(tree_.blocks(l)), -1), inside(outermost ? 1 : ix(tree_.blocks(l + 1)), 0);
    for (int p = 0; p < tree_.places; ++p) {
      int& own = number[ix(tree_.block[ix(l)][ix(p)])];
      if (own < 0) own = inside[outermost ? 0 : ix(tree_.block[ix(l) + 1][ix(p)])]++;
      code_[ix(p)] |= static_cast<std::uint64_t>(own) << low;
    }
    const int most = *std::max_element(inside.begin(), inside.end());
    const int high = low + static_cast<int>(ix_of(static_cast<std::uint64_t>(most - 1)));
    for (int bit = low + 1; bit <= high; ++bit) distance_[ix(bit)] = tree_.distance[ix(l) + 1];
    low = high;
  }
  code_of_.resize(ix(graph_.n));
  for (int v = 0; v < graph_.n; ++v) code_of_[ix(v)] = code_[ix(place_[ix(v)])];
}

Wide Swaps::cost_at(int vertex, int place) const {
  const std::size_t begin = graph_.first[ix(vertex)], end = graph_.first[ix(vertex) + 1];
  const auto here = code_[ix(place)];
  if (narrow_) {
    std::int64_t sum = 0;
    for (std::size_t e = begin; e < end; ++e) sum += graph_.weight[e] * distance(here, code_of_[ix(graph_.to[e])]);
    return sum;
  }
  Wide sum = 0;
  for (std::size_t e = begin; e < end; ++e)
    sum += static_cast<Wide>(graph_.weight[e]) * distance(here, code_of_[ix(graph_.to[e])]);
  return sum;
}

Wide Swaps::delta(int a, int b) const {
  const int pa = place_[ix(a)], pb = place_[ix(b)];
  Wide change = cost_at(a, pb) - cost_at(a, pa) + cost_at(b, pa) - cost_at(b, pb);
  // An edge between the two keeps its length, but was counted as if it shrank to the inner distance.
  for (std::size_t e = graph_.first[ix(a)]; e < graph_.first[ix(a) + 1]; ++e)
    if (graph_.to[e] == b)
      change += 2 * static_cast<Wide>(graph_.weight[e]) * (distance(code_[ix(pa)], code_[ix(pb)]) - tree_.distance[0]);
  return change;
}

void Swaps::swap(int a, int b) {
  cost_ += delta(a, b);
  std::swap(place_[ix(a)], place_[ix(b)]);
  std::swap(code_of_[ix(a)], code_of_[ix(b)]);
  vertex_[ix(place_[ix(a)])] = a;
  vertex_[ix(place_[ix(b)])] = b;
  if (logging_) log_.emplace_back(a, b);
}

void Swaps::enqueue(int vertex) {
  if (queued_[ix(vertex)]) return;
  queued_[ix(vertex)] = 1;
  queue_.push_back(vertex);
}

void Swaps::enqueue_around(int vertex) {
  enqueue(vertex);
  for (std::size_t e = graph_.first[ix(vertex)]; e < graph_.first[ix(vertex) + 1]; ++e) enqueue(graph_.to[e]);
}

bool Swaps::improve(int u, std::int64_t& budget) {
  if (!fixed_.empty() && fixed_[ix(u)]) return false;
  // One unit of work is an evaluation of a vertex with few neighbours.
  const auto unit = static_cast<std::int64_t>(1 + (graph_.first[ix(u) + 1] - graph_.first[ix(u)]) / 16);
  const int pu = place_[ix(u)];
  const Wide here = cost_at(u, pu);
  const auto& block = tree_.block[0];
  ++stamp_;
  seen_[ix(block[ix(pu)])] = stamp_;
  int best = -1;
  Wide best_change = 0;
  for (std::size_t e = graph_.first[ix(u)]; e < graph_.first[ix(u) + 1]; ++e) {
    const int b = block[ix(place_[ix(graph_.to[e])])];
    if (seen_[ix(b)] == stamp_) continue;
    seen_[ix(b)] = stamp_;
    // A swap that helps moves at least one of the two nearer to its own: look from that one.
    const Wide there = cost_at(u, inner_[ix(b)].front());
    budget -= unit;
    if (there >= here) continue;
    for (const int p : inner_[ix(b)]) {
      const int w = vertex_[ix(p)];
      if (!fixed_.empty() && fixed_[ix(w)]) continue;
      if (!kind_.empty() && kind_[ix(p)] != kind_[ix(pu)]) continue;
      budget -= unit;
      Wide change = there - here + cost_at(w, pu) - cost_at(w, p);
      if (change >= best_change) continue;
      for (std::size_t x = graph_.first[ix(u)]; x < graph_.first[ix(u) + 1]; ++x)
        if (graph_.to[x] == w)
          change += 2 * static_cast<Wide>(graph_.weight[x]) * (distance(code_[ix(pu)], code_[ix(p)]) - tree_.distance[0]);
      if (change < best_change) best_change = change, best = w;
    }
  }
  if (best < 0) return false;
  swap(u, best);
  enqueue_around(u);
  enqueue_around(best);
  return true;
}

std::int64_t Swaps::drain(std::int64_t budget) {
  std::size_t at = 0;
  for (; at < queue_.size() && budget > 0; ++at) {
    const int u = queue_[at];
    queued_[ix(u)] = 0;
    improve(u, budget);
    if ((at & 1023) == 1023 && stopped(watch_)) budget = 0;
    if (at > 4096 && at * 2 > queue_.size()) {
      queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(at) + 1);
      at = static_cast<std::size_t>(-1);
    }
  }
  for (; at < queue_.size(); ++at) queued_[ix(queue_[at])] = 0;
  queue_.clear();
  return budget;
}

std::int64_t Swaps::descend(std::int64_t budget) {
  if (tree_.levels() == 0) return budget;
  for (int v = 0; v < graph_.n; ++v) enqueue(v);
  return drain(budget);
}

std::int64_t Swaps::iterate(std::int64_t budget, Random& random) {
  if (tree_.levels() == 0 || inner_.size() < 2 || graph_.n < 4) return budget;
  const auto n = static_cast<std::uint64_t>(graph_.n);
  while (budget > 0 && !stopped(watch_)) {
    const Wide before = cost_;
    log_.clear();
    logging_ = true;
    // Kick: some swaps around one vertex, with strangers in its neighbours' blocks.
    int u = static_cast<int>(random.below(n));
    const int kicks = 1 + static_cast<int>(random.below(3));
    for (int k = 0; k < kicks; ++k) {
      --budget;
      const std::size_t degree = graph_.first[ix(u) + 1] - graph_.first[ix(u)];
      if (degree == 0) break;
      const int v = graph_.to[graph_.first[ix(u)] + static_cast<std::size_t>(random.below(degree))];
      const auto& places = inner_[ix(tree_.block[0][ix(place_[ix(v)])])];
      const int p = places[static_cast<std::size_t>(random.below(places.size()))];
      const int w = vertex_[ix(p)];
      const bool barred = (!fixed_.empty() && (fixed_[ix(u)] || fixed_[ix(w)])) ||
                          (!kind_.empty() && kind_[ix(p)] != kind_[ix(place_[ix(u)])]);
      if (w != u && !barred) {
        swap(u, w);
        enqueue_around(u);
        enqueue_around(w);
      }
      u = v;
    }
    budget = drain(budget);
    logging_ = false;
    if (cost_ > before)
      for (auto undo = log_.rbegin(); undo != log_.rend(); ++undo) swap(undo->first, undo->second);
  }
  return budget;
}

}  // namespace topolaunch::mapping
