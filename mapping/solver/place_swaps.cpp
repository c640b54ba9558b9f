// SPDX-License-Identifier: Apache-2.0
#include "mapping/solver/place_swaps.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "mapping/index.h"
#include "mapping/random.h"

namespace topolaunch::mapping {
namespace {

/// Blocks, then ranks change places; a place may be free. A rank looks at the hosts nearest to those
/// of its partners.
class PlaceSwaps {
 public:
  PlaceSwaps(const Problem& problem, const CommGraph& graph, std::vector<Seat> places)
      : problem_(problem),
        graph_(graph),
        places_(std::move(places)),
        place_(ix(graph.n)),
        rank_(places_.size(), -1),
        seen_(ix(graph.n), 0) {
    std::iota(place_.begin(), place_.end(), 0);
    std::iota(rank_.begin(), rank_.begin() + graph.n, 0);
    on_host_.resize(problem.topology.hosts.size());
    for (int p = 0; p < count_of(places_); ++p) on_host_[ix(places_[ix(p)].host)].push_back(p);
    find_nearest();
  }

  std::vector<Seat> run() {
    const auto work = assignment_work(problem_.constraints.effort);
    left_ = work / 4;
    descend();
    left_ = 4 * work;
    anneal();
    left_ = work / 4;
    descend();
    std::vector<Seat> seats;
    for (const int p : place_) seats.push_back(places_[ix(p)]);
    return seats;
  }

 private:
  static constexpr std::size_t kNearest = 8;

  double distance(int p, int q) const {
    return problem_.model.distance(places_[ix(p)], places_[ix(q)]);
  }

  /// Hosts with places, nearest first, itself among them.
  void find_nearest() {
    std::vector<int> hosts;
    for (int h = 0; h < count_of(on_host_); ++h)
      if (!on_host_[ix(h)].empty()) hosts.push_back(h);
    nearest_.resize(on_host_.size());
    for (const int h : hosts) {
      auto others = hosts;
      const auto kept = std::min(others.size(), kNearest);
      const int own = on_host_[ix(h)].front();
      std::ranges::partial_sort(
          others, others.begin() + static_cast<std::ptrdiff_t>(kept), {}, [&](int other) {
            return other == h ? -1.0 : distance(own, on_host_[ix(other)].front());
          });
      others.resize(kept);
      nearest_[ix(h)] = std::move(others);
    }
  }

  /// Bytes x distance of `v` at `p`, but for what it has to do with `other`.
  double cost(int v, int p, int other) {
    double sum = 0;
    left_ -= static_cast<std::int64_t>(graph_.first[ix(v) + 1] - graph_.first[ix(v)]);
    for (std::size_t e = graph_.first[ix(v)]; e < graph_.first[ix(v) + 1]; ++e)
      if (graph_.to[e] != other)
        sum += static_cast<double>(graph_.weight[e]) * distance(p, place_[ix(graph_.to[e])]);
    return sum;
  }

  /// By how much J falls if `v` and who is on `to` change places.
  double gain(int v, int to) {
    const int from = place_[ix(v)], other = rank_[ix(to)];
    double sum = cost(v, from, other) - cost(v, to, other);
    if (other >= 0) sum += cost(other, to, v) - cost(other, from, v);
    return sum;
  }

  int best_place(int v) {
    const int from = place_[ix(v)];
    double most = 1e-9 * cost(v, from, -1);
    int best = -1;
    for (std::size_t e = graph_.first[ix(v)]; e < graph_.first[ix(v) + 1]; ++e)
      for (const int host : nearest_[ix(places_[ix(place_[ix(graph_.to[e])])].host)])
        for (const int to : on_host_[ix(host)]) {
          if (to == from || places_[ix(to)].host == places_[ix(from)].host) continue;
          const double gained = gain(v, to);
          if (gained > most) most = gained, best = to;
        }
    return best;
  }

  /// A nesting does not say which of two halves is nearer to a third: blocks that change places do.
  void descend() {
    for (bool improved = true; improved && left_ > 0 && !stopped(problem_.constraints.watch);) {
      improved = false;
      for (int l = count_of(problem_.nesting.levels) - 1; l >= 0; --l)
        improved = swap_blocks(l) || improved;
      improved = swap_ranks() || improved;
    }
  }

  /// Simulated annealing with what work is left: a rank changes places with somebody near one of
  /// its partners, for the worse with a chance that falls from that of twice an edge's mean cost to
  /// a fiftieth of that.
  void anneal() {
    double mean = 0;
    for (int v = 0; v < graph_.n; ++v) mean += cost(v, place_[ix(v)], -1);
    mean /= static_cast<double>(graph_.arcs());
    const auto budget = static_cast<double>(left_);
    Random random(problem_.constraints.seed);
    double temperature = 2 * mean;
    for (std::int64_t step = 0; left_ > 0; ++step) {
      if (step % 1024 == 0) {
        if (stopped(problem_.constraints.watch)) return;
        temperature = 2 * mean * std::pow(0.02, 1 - static_cast<double>(left_) / budget);
      }
      const int v = static_cast<int>(random.below(ix(graph_.n)));
      const auto arcs = graph_.first[ix(v) + 1] - graph_.first[ix(v)];
      if (--left_; arcs == 0) continue;
      const int partner = graph_.to[graph_.first[ix(v)] + random.below(arcs)];
      const auto& near = nearest_[ix(places_[ix(place_[ix(partner)])].host)];
      const auto& there = on_host_[ix(near[random.below(near.size())])];
      const int from = place_[ix(v)], to = there[random.below(there.size())];
      if (to == from) continue;
      const double worse = -gain(v, to);
      if (worse <= 0 ||
          static_cast<double>(random.next() >> 11) * 0x1p-53 < std::exp(-worse / temperature))
        swap(from, to);
    }
  }

  /// From everywhere, until nobody gains.
  bool swap_ranks() {
    std::vector<int> queue(ix(graph_.n));
    std::iota(queue.begin(), queue.end(), 0);
    std::vector<char> queued(ix(graph_.n), 1);
    bool improved = false;
    for (std::size_t at = 0; at < queue.size() && left_ > 0; ++at) {
      const int v = queue[at];
      queued[ix(v)] = 0;
      const int to = best_place(v);
      if (to < 0) continue;
      improved = true;
      const int other = rank_[ix(to)];
      swap(place_[ix(v)], to);
      for (const int moved : {v, other}) {
        if (moved < 0) continue;
        if (!std::exchange(queued[ix(moved)], 1)) queue.push_back(moved);
        for (std::size_t e = graph_.first[ix(moved)]; e < graph_.first[ix(moved) + 1]; ++e)
          if (!std::exchange(queued[ix(graph_.to[e])], 1)) queue.push_back(graph_.to[e]);
      }
    }
    return improved;
  }

  /// Everything in one block of the level against everything in another with as many places, in
  /// order or turned round.
  bool swap_blocks(int level) {
    const auto blocks = blocks_of(level);
    bool improved = false;
    for (std::size_t a = 0; a < blocks.size(); ++a)
      for (std::size_t b = a + 1; b < blocks.size() && left_ > 0; ++b) {
        if (blocks[a].size() != blocks[b].size()) continue;
        for (const bool turned : {false, true}) {
          if (turned && blocks[a].size() < 2) continue;
          const double before = around(blocks[a], blocks[b]);
          exchange(blocks[a], blocks[b], turned);
          if (around(blocks[a], blocks[b]) < before * (1 - 1e-12))
            improved = true;
          else
            exchange(blocks[a], blocks[b], turned);
        }
      }
    return improved;
  }

  /// Places of each block, neighbours side by side.
  std::vector<std::vector<int>> blocks_of(int level) const {
    const auto& levels = problem_.nesting.levels;
    std::vector<int> order(places_.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](int p, int q) {
      for (int l = level; l >= 0; --l) {
        const auto& block = levels[ix(l)].block;
        const int a = block[ix(places_[ix(p)].host)], b = block[ix(places_[ix(q)].host)];
        if (a != b) return a < b;
      }
      return false;
    });
    std::vector<std::vector<int>> blocks(ix(levels[ix(level)].blocks));
    for (const int p : order)
      blocks[ix(levels[ix(level)].block[ix(places_[ix(p)].host)])].push_back(p);
    return blocks;
  }

  void exchange(const std::vector<int>& one, const std::vector<int>& other, bool turned) {
    for (std::size_t i = 0; i < one.size(); ++i)
      swap(one[i], other[turned ? one.size() - 1 - i : i]);
  }

  /// Bytes x distance of all that the ranks there send, to each other counted once.
  double around(const std::vector<int>& one, const std::vector<int>& other) {
    ++stamp_;
    for (const auto* places : {&one, &other})
      for (const int p : *places)
        if (rank_[ix(p)] >= 0) seen_[ix(rank_[ix(p)])] = stamp_;
    double sum = 0;
    for (const auto* places : {&one, &other})
      for (const int p : *places) {
        const int v = rank_[ix(p)];
        if (v < 0) continue;
        left_ -= static_cast<std::int64_t>(graph_.first[ix(v) + 1] - graph_.first[ix(v)]);
        for (std::size_t e = graph_.first[ix(v)]; e < graph_.first[ix(v) + 1]; ++e) {
          const int u = graph_.to[e];
          sum += (seen_[ix(u)] == stamp_ ? 0.5 : 1) * static_cast<double>(graph_.weight[e]) *
                 distance(p, place_[ix(u)]);
        }
      }
    return sum;
  }

  /// Who is on two places, or nobody, changes.
  void swap(int p, int q) {
    std::swap(rank_[ix(p)], rank_[ix(q)]);
    for (const int place : {p, q})
      if (rank_[ix(place)] >= 0) place_[ix(rank_[ix(place)])] = place;
  }

  const Problem& problem_;
  const CommGraph& graph_;
  std::vector<Seat> places_;
  std::vector<int> place_, rank_;  ///< by rank, by place (-1 = free)
  std::vector<std::vector<int>> on_host_, nearest_;
  std::vector<int> seen_;  ///< by rank: when around() last met it
  int stamp_ = 0;
  std::int64_t left_ = 0;  ///< edges that may still be looked at
};

}  // namespace

std::int64_t assignment_work(Constraints::Effort effort) {
  switch (effort) {
    case Constraints::Effort::fast:
      return 1'600'000;
    case Constraints::Effort::standard:
      return 16'000'000;
    case Constraints::Effort::best:
      return 800'000'000;
  }
  return 0;
}

std::vector<Seat> swapped_around(const Problem& problem, const CommGraph& graph,
                                 std::vector<Seat> places) {
  return PlaceSwaps(problem, graph, std::move(places)).run();
}

}  // namespace topolaunch::mapping
