// SPDX-License-Identifier: Apache-2.0
#include "mapping/solver/fm_refiner.h"

#include <algorithm>
#include <limits>

#include "mapping/index.h"

namespace topolaunch::mapping {
namespace {

constexpr int kPasses = 6;       ///< at most
constexpr int kSmall = 1000;     ///< up to this all vertices may move, not only those on the boundary
constexpr auto kNotQueued = std::numeric_limits<std::int64_t>::min();

}  // namespace

FmRefiner::FmRefiner(const CommGraph& graph, const std::vector<int>& weight, int heaviest, SizeRange range)
    : graph_(graph), weight_(weight), heaviest_(heaviest), range_(range), gain_(ix(graph.n)), around_(ix(graph.n)),
      queued_(ix(graph.n)), locked_(ix(graph.n)) {}

void FmRefiner::run(std::vector<char>& side) {
  size0_ = 0;
  cut_ = 0;
  for (int v = 0; v < graph_.n; ++v) {
    if (side[ix(v)] == 0) size0_ += weight_[ix(v)];
    std::int64_t out = 0, all = 0;
    for (std::size_t e = graph_.first[ix(v)]; e < graph_.first[ix(v) + 1]; ++e) {
      all += graph_.weight[e];
      if (side[ix(v)] != side[ix(graph_.to[e])]) out += graph_.weight[e];
    }
    gain_[ix(v)] = 2 * out - all;
    around_[ix(v)] = all;
    cut_ += out;
  }
  cut_ /= 2;
  for (int i = 0; i < kPasses && pass(side); ++i) {
  }
}

void FmRefiner::push(int side, int vertex) {
  queued_[ix(vertex)] = gain_[ix(vertex)];
  heap_[side].push_back({gain_[ix(vertex)], vertex});
  std::push_heap(heap_[side].begin(), heap_[side].end());
}

/// The unlocked vertex of the largest gain in a heap; -1 if there is none. An entry whose vertex has lost since
/// goes back in with what is left.
int FmRefiner::best_of(std::vector<char>& side, int from) {
  auto& heap = heap_[from];
  while (!heap.empty()) {
    const auto [gain, vertex] = heap.front();
    const bool here = !locked_[ix(vertex)] && side[ix(vertex)] == from;
    if (here && gain_[ix(vertex)] == gain) return vertex;
    std::pop_heap(heap.begin(), heap.end());
    heap.pop_back();
    if (here && queued_[ix(vertex)] == gain) push(from, vertex);
  }
  return -1;
}

void FmRefiner::move(std::vector<char>& side, int vertex) {
  const char from = side[ix(vertex)];
  cut_ -= gain_[ix(vertex)];
  gain_[ix(vertex)] = -gain_[ix(vertex)];
  side[ix(vertex)] = static_cast<char>(1 - from);
  size0_ += (from == 0 ? -1 : 1) * weight_[ix(vertex)];
  for (std::size_t e = graph_.first[ix(vertex)]; e < graph_.first[ix(vertex) + 1]; ++e) {
    const int u = graph_.to[e];
    gain_[ix(u)] += side[ix(u)] == from ? 2 * graph_.weight[e] : -2 * graph_.weight[e];
  }
}

/// From the side that is too large; else from where the better move is.
int FmRefiner::choose(std::vector<char>& side) {
  const int now = outside();
  if (now > heaviest_) {
    const int from = size0_ > range_.high ? 0 : 1;
    if (const int v = best_of(side, from); v >= 0) return v;
    for (int v = 0; v < graph_.n; ++v)
      if (side[ix(v)] == from && !locked_[ix(v)]) push(from, v);
    return best_of(side, from);
  }
  int best = -1;
  for (int from = 0; from < 2; ++from) {
    const int v = best_of(side, from);
    if (v < 0) continue;
    const int after = range_.outside(size0_ + (from == 0 ? -1 : 1) * weight_[ix(v)]);
    if (after > std::max(heaviest_, now)) continue;
    if (best < 0 || gain_[ix(v)] > gain_[ix(best)] || (gain_[ix(v)] == gain_[ix(best)] && after < now)) best = v;
  }
  return best;
}

bool FmRefiner::pass(std::vector<char>& side) {
  const int n = graph_.n;
  for (auto& heap : heap_) heap.clear();
  std::fill(locked_.begin(), locked_.end(), char{0});
  for (int v = 0; v < n; ++v) {
    queued_[ix(v)] = kNotQueued;
    if (n > kSmall && gain_[ix(v)] == -around_[ix(v)]) continue;
    queued_[ix(v)] = gain_[ix(v)];
    heap_[static_cast<int>(side[ix(v)])].push_back({gain_[ix(v)], v});
  }
  for (auto& heap : heap_) std::make_heap(heap.begin(), heap.end());

  moved_.clear();
  const Wide start_cut = cut_;
  const int start_outside = outside();
  Wide best_cut = cut_;
  int best_outside = start_outside;
  std::size_t best_length = 0;
  // How far outside a state may be that counts.
  const int enough = heaviest_ == 1 ? 0 : heaviest_;
  const int patience = 60 + n / 50;
  for (int since = 0; since < patience; ++since) {
    const int v = choose(side);
    if (v < 0) break;
    const char from = side[ix(v)];
    locked_[ix(v)] = 1;
    move(side, v);
    moved_.push_back(v);
    for (std::size_t e = graph_.first[ix(v)]; e < graph_.first[ix(v) + 1]; ++e) {
      // Those left behind gain; the others' entries are too good now, which best_of sees to.
      const int u = graph_.to[e];
      if (!locked_[ix(u)] && side[ix(u)] == from && gain_[ix(u)] > queued_[ix(u)]) push(from, u);
      else if (!locked_[ix(u)] && queued_[ix(u)] == kNotQueued) push(static_cast<int>(side[ix(u)]), u);
    }
    const int now = outside();
    const bool nearer = best_outside > enough && now < best_outside;
    const bool lighter = now <= enough && (cut_ < best_cut || (cut_ == best_cut && now < best_outside));
    if (nearer || lighter) {
      best_cut = cut_;
      best_outside = now;
      best_length = moved_.size();
      since = -1;
    }
  }
  while (moved_.size() > best_length) {
    move(side, moved_.back());
    moved_.pop_back();
  }
  return best_cut < start_cut || best_outside < start_outside;
}

}  // namespace topolaunch::mapping
