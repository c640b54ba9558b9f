// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <numeric>

#include "mapping/index.h"
#include "mapping/solver/solvers.h"

namespace topolaunch::mapping {
namespace {

/// Placements tried at most. A score takes some microseconds at this size.
double budget(Constraints::Effort effort) {
  switch (effort) {
    case Constraints::Effort::fast: return 5040;
    case Constraints::Effort::standard: return 40320;
    case Constraints::Effort::best: return 1814400;
  }
  return 0;
}

/// Whether only the set of seats counts on one host: every group is NCCL's own and spans all ranks.
bool order_is_free(const SeatPool& pool, const RankGraph& graph, const Constraints& constraints) {
  if (!graph.edges.empty() || !constraints.pins.empty() || !constraints.affinity.empty() ||
      !constraints.anti_affinity.empty())
    return false;
  for (const auto& group : graph.groups) {
    const bool nccl = goes_around_twice(group.collective) || group.collective == Collective::allgather ||
                      group.collective == Collective::reduce_scatter || group.collective == Collective::broadcast ||
                      group.collective == Collective::alltoall;
    if (!nccl || count_of(group.members) != graph.ranks) return false;
  }
  return std::all_of(pool.seats.begin(), pool.seats.end(), [&](const Seat& seat) {
    return seat.gpu >= 0 && seat.host == pool.seats.front().host;
  });
}

double placements(int seats, int ranks, bool sets_only) {
  double count = 1;
  for (int i = 0; i < ranks; ++i) {
    count *= seats - i;
    if (sets_only) count /= i + 1;
    if (count > 1e12) return count;
  }
  return count;
}

class Exhaustive final : public Solver {
 public:
  std::string name() const override { return "exhaustive"; }

  Result<std::vector<Seat>> place(const Problem& problem) const override {
    const auto& constraints = problem.constraints;
    const auto& pool = problem.pool;
    if (!fits_exhaustive(pool, problem.graph, constraints)) return problem.start;

    Incumbent best(problem.model, constraints.objective, problem.start);
    const bool sets_only = order_is_free(pool, problem.graph, constraints);
    std::vector<Seat> seats(ix(constraints.ranks));
    std::vector<bool> used(pool.seats.size(), false);
    std::vector<int> left = pool.capacity;
    const std::function<void(int, int)> fill = [&](int rank, int first) {
      if (rank == constraints.ranks) {
        // The search keeps to seats and capacities itself; pins and rules are left to the guards.
        const bool allowed = constraints.pins.empty() ? problem.rules.fault(seats).empty() : problem.fault(seats).empty();
        if (allowed) best.offer(seats);
        return;
      }
      if (stopped(constraints.watch)) return;
      for (int s = first; s < count_of(pool.seats); ++s) {
        const auto& seat = pool.seats[ix(s)];
        if (used[ix(s)] || left[ix(seat.host)] == 0) continue;
        used[ix(s)] = true;
        --left[ix(seat.host)];
        seats[ix(rank)] = seat;
        fill(rank + 1, sets_only ? s + 1 : 0);
        ++left[ix(seat.host)];
        used[ix(s)] = false;
      }
    };
    fill(0, 0);
    return best.seats();
  }
};

}  // namespace

bool fits_exhaustive(const SeatPool& pool, const RankGraph& graph, const Constraints& constraints) {
  return placements(count_of(pool.seats), constraints.ranks, order_is_free(pool, graph, constraints)) <=
         budget(constraints.effort);
}

std::unique_ptr<Solver> make_exhaustive() { return std::make_unique<Exhaustive>(); }

}  // namespace topolaunch::mapping
