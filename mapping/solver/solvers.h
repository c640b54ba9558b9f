// SPDX-License-Identifier: Apache-2.0
//
// The implementations behind mapping::Solver.
#pragma once

#include <memory>

#include "mapping/cost.h"
#include "mapping/solver.h"

namespace topolaunch::mapping {

/// Every choice and order of seats, where there are few enough (see fits_exhaustive).
std::unique_ptr<Solver> make_exhaustive();
/// Simple orders: by fabric, round robin, compact hosts, the best GPUs of each host, and all ways to
/// lay the parallel dimensions onto the levels of the machine.
std::unique_ptr<Solver> make_orders();
/// Any graph on any nesting of hosts: contraction of heavy components, exact multisection, swaps.
std::unique_ptr<Solver> make_hierarchy();

/// Ranks host after host in this order, on the best GPUs of each, pins held; empty where they do not fit.
/// `pool`: the problem's, or less of it.
std::vector<Seat> simple_seats(const Problem& problem, const SeatPool& pool, const std::vector<int>& hosts);

/// Whether make_exhaustive tries all placements of this size at this effort.
bool fits_exhaustive(const SeatPool& pool, const RankGraph& graph, const Constraints& constraints);

/// (T, J) or (J, largest link), as the objective says; smaller is better.
bool better(const CostModel::Score& a, const CostModel::Score& b, Constraints::Objective objective);

/// The best placement offered so far.
class Incumbent {
 public:
  Incumbent(const CostModel& model, Constraints::Objective objective, std::vector<Seat> seats)
      : model_(model), objective_(objective), seats_(std::move(seats)), score_(model.score(seats_)) {}
  /// Takes `seats` if they are better; says whether.
  bool offer(const std::vector<Seat>& seats);
  const std::vector<Seat>& seats() const { return seats_; }
  const CostModel::Score& score() const { return score_; }

 private:
  const CostModel& model_;
  Constraints::Objective objective_;
  std::vector<Seat> seats_;
  CostModel::Score score_;
};

}  // namespace topolaunch::mapping
