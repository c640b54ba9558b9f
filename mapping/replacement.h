// SPDX-License-Identifier: Apache-2.0
//
// Replacement: seats for the ranks that must move, from what the others, who stay, leave free.
#pragma once

#include <optional>
#include <vector>

#include "mapping/cost.h"
#include "mapping/rules.h"
#include "mapping/seats.h"
#include "mapping/solution.h"
#include "mapping/solver/solvers.h"
#include "topo/topology.h"

namespace topolaunch::mapping {

/// Keeps references to all but `moving`. `old_seats` by rank; ranks of `moving` may be on host -1.
class Replacement {
 public:
  Replacement(const topo::Topology& topology, const CostModel& model,
              const Constraints& constraints, const SeatPool& pool, const Rules& rules,
              const std::vector<Seat>& old_seats, std::vector<int> moving);

  /// Seats that the moving ranks can have.
  int free_seats() const;
  /// The best seats found for all ranks, by T, then J; nothing if no way to seat them holds the rules.
  std::optional<std::vector<Seat>> run();
  /// After run() found nothing: every way to seat them in this pool was tried.
  bool proved() const { return proved_; }

 private:
  std::vector<int> hosts_by_nearness() const;
  std::vector<Seat> seats_on(const std::vector<int>& hosts) const;
  std::vector<Seat> constructed();
  std::vector<Seat> seats_of(const std::vector<int>& host_of_moving) const;
  void apply_gpu_pins(std::vector<Seat>& seats) const;
  void offer(const std::vector<Seat>& seats);
  bool improve();

  const topo::Topology& topology_;
  const CostModel& model_;
  const Constraints& constraints_;
  const SeatPool& pool_;
  const Rules& rules_;
  const std::vector<Seat>& old_;
  std::vector<int> moving_;
  std::vector<std::vector<Seat>> free_;  ///< by host
  std::optional<Incumbent> best_;
  bool proved_ = false;
};

}  // namespace topolaunch::mapping
