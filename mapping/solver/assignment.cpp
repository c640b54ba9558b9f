// SPDX-License-Identifier: Apache-2.0
#include "mapping/solver/assignment.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mapping/index.h"
#include "mapping/random.h"
#include "mapping/solver/comm_graph.h"
#include "mapping/solver/tabu.h"

namespace topolaunch::mapping {
namespace {

constexpr int kMostHosts = 512;

/// Pairs looked at by the search; each of its steps looks at all.
std::int64_t work_of(Constraints::Effort effort) {
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

/// Bytes and distances as integers whose products add up to less than 2^61.
class Instance {
 public:
  explicit Instance(int n) : n_(ix(n)), flow_(n_ * n_, 0), distance_(n_ * n_, 0) {}
  void add_flow(int a, int b, std::int64_t bytes) { flow_[ix(a) * n_ + ix(b)] += bytes; }

  template <class Between>
  void set_distances(const Between& between) {
    double farthest = 0;
    for (std::size_t a = 0; a < n_; ++a)
      for (std::size_t b = 0; b < n_; ++b)
        if (a != b)
          farthest = std::max(farthest, between(static_cast<int>(a), static_cast<int>(b)));
    const double scale = farthest > 0 ? kFarthest / farthest : 0;
    for (std::size_t a = 0; a < n_; ++a)
      for (std::size_t b = 0; b < n_; ++b)
        if (a != b)
          distance_[a * n_ + b] =
              std::llround(scale * between(static_cast<int>(a), static_cast<int>(b)));
  }

  std::vector<int> solve(const Problem& problem) {
    Wide total = 0;
    for (const auto bytes : flow_) total += bytes;
    int shift = 0;
    while ((total >> shift) * 8 * static_cast<Wide>(kFarthest) > (Wide{1} << 61)) ++shift;
    for (auto& bytes : flow_) bytes >>= shift;
    std::vector<int> place(n_);
    std::iota(place.begin(), place.end(), 0);
    Random random(problem.constraints.seed);
    const auto steps = work_of(problem.constraints.effort) / static_cast<std::int64_t>(n_ * n_);
    return robust_tabu(flow_, distance_, std::move(place), std::max<std::int64_t>(steps, 1), random,
                       problem.constraints.watch.get());
  }

 private:
  static constexpr double kFarthest = 1 << 20;
  std::size_t n_;
  Dense flow_, distance_;
};

/// The seats taken, in the order of ranks, and those that hosts have left.
std::vector<Seat> places_of(const Problem& problem, const std::vector<Seat>& seats) {
  auto places = seats;
  auto left = problem.pool.capacity;
  for (const auto& seat : seats) --left[ix(seat.host)];
  for (const auto& seat : problem.pool.seats)
    if (left[ix(seat.host)] > 0 && std::find(seats.begin(), seats.end(), seat) == seats.end()) {
      --left[ix(seat.host)];
      places.push_back(seat);
    }
  return places;
}

std::vector<Seat> by_seat(const Problem& problem, const CommGraph& graph,
                          const std::vector<Seat>& places) {
  Instance instance(count_of(places));
  for (int v = 0; v < graph.n; ++v)
    for (std::size_t e = graph.first[ix(v)]; e < graph.first[ix(v) + 1]; ++e)
      instance.add_flow(v, graph.to[e], graph.weight[e]);
  instance.set_distances(
      [&](int a, int b) { return problem.model.distance(places[ix(a)], places[ix(b)]); });
  const auto place = instance.solve(problem);
  std::vector<Seat> seats;
  for (int r = 0; r < problem.ranks(); ++r) seats.push_back(places[ix(place[ix(r)])]);
  return seats;
}

/// All that sits on a host moves together; hosts must take as many as any has.
std::vector<Seat> by_host(const Problem& problem, const CommGraph& graph,
                          const std::vector<Seat>& seats) {
  const auto& capacity = problem.pool.capacity;
  std::vector<std::vector<int>> ranks(capacity.size());
  for (int r = 0; r < count_of(seats); ++r) ranks[ix(seats[ix(r)].host)].push_back(r);
  std::size_t most = 0;
  for (const auto& here : ranks) most = std::max(most, here.size());
  std::vector<int> hosts, number(capacity.size(), -1);
  for (int h = 0; h < count_of(capacity); ++h) {
    if (capacity[ix(h)] <= 0) continue;
    if (ix(capacity[ix(h)]) < most) return seats;
    number[ix(h)] = count_of(hosts);
    hosts.push_back(h);
  }
  if (count_of(hosts) > kMostHosts) return seats;
  Instance instance(count_of(hosts));
  for (int v = 0; v < graph.n; ++v)
    for (std::size_t e = graph.first[ix(v)]; e < graph.first[ix(v) + 1]; ++e) {
      const int a = number[ix(seats[ix(v)].host)], b = number[ix(seats[ix(graph.to[e])].host)];
      if (a != b) instance.add_flow(a, b, graph.weight[e]);
    }
  instance.set_distances([&](int a, int b) {
    return problem.model.distance({hosts[ix(a)], -1, 0}, {hosts[ix(b)], -1, 0});
  });
  const auto place = instance.solve(problem);
  std::vector<std::vector<Seat>> free(capacity.size());
  for (const auto& seat : problem.pool.seats) free[ix(seat.host)].push_back(seat);
  auto moved = seats;
  for (const int h : hosts) {
    const auto& there = free[ix(hosts[ix(place[ix(number[ix(h)])])])];
    for (std::size_t i = 0; i < ranks[ix(h)].size(); ++i) moved[ix(ranks[ix(h)][i])] = there[i];
  }
  return moved;
}

}  // namespace

bool assign(const Problem& problem, Incumbent& best) {
  if (problem.topology.fabric.host_distances.empty() || !problem.constraints.pins.empty())
    return false;
  const auto graph = comm_graph_of(problem.graph);
  if (graph.arcs() == 0) return false;
  const auto places = places_of(problem, best.seats());
  const auto seats = count_of(places) <= kTabuPlaces ? by_seat(problem, graph, places)
                                                     : by_host(problem, graph, best.seats());
  return problem.fault(seats).empty() && best.offer(seats);
}

}  // namespace topolaunch::mapping
