// SPDX-License-Identifier: Apache-2.0
#include "mapping/solver/assignment.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mapping/index.h"
#include "mapping/random.h"
#include "mapping/solver/comm_graph.h"
#include "mapping/solver/place_swaps.h"
#include "mapping/solver/tabu.h"

namespace topolaunch::mapping {
namespace {

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
    const auto steps =
        assignment_work(problem.constraints.effort) / static_cast<std::int64_t>(n_ * n_);
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

}  // namespace

bool assign(const Problem& problem, Incumbent& best) {
  if (problem.topology.fabric.host_distances.empty() || !problem.constraints.pins.empty())
    return false;
  const auto graph = comm_graph_of(problem.graph);
  if (graph.arcs() == 0) return false;
  const auto offered = [&](const std::vector<Seat>& seats) {
    return problem.fault(seats).empty() && best.offer(seats);
  };
  bool improved = offered(swapped_around(problem, graph, places_of(problem, best.seats())));
  const auto places = places_of(problem, best.seats());
  if (count_of(places) <= kTabuPlaces)
    improved = offered(by_seat(problem, graph, places)) || improved;
  return improved;
}

}  // namespace topolaunch::mapping
