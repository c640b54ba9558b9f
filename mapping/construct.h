// SPDX-License-Identifier: Apache-2.0
//
// A placement under rules, where the given order breaks one: ranks that belong on one host are
// placed as one, depth first with backtracking, up to a fixed amount of work.
#pragma once

#include <optional>
#include <vector>

#include "mapping/rules.h"
#include "mapping/seats.h"

namespace topolaunch::mapping {

struct Construction {
  std::optional<std::vector<Seat>> seats;
  bool proved = false;  ///< without seats: every way was tried, there is none
};

/// `graph` decides nothing here: the first placement that holds pins, capacities and rules.
Construction construct(const topo::Topology& topology, const SeatPool& pool,
                       const Constraints& constraints, const Rules& rules);

/// The given order where it holds the rules, else a construction. infeasible where there is none.
Result<std::vector<Seat>> starting_seats(const topo::Topology& topology, const SeatPool& pool,
                                         const Constraints& constraints, const Rules& rules);

}  // namespace topolaunch::mapping
