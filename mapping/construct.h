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

/// What --spares and --spread ask of a placement where the pool has not decided it.
struct ConstructLimits {
  int most_hosts = -1;  ///< that ranks may be on
  int spread = -1;      ///< a level (index) whose blocks hold as equal numbers of ranks as their room allows
  int uneven = 0;  ///< if that can't be had: so many ranks more in a block than in the emptiest
  int fullest = 1 << 24;  ///< and so many blocks that hold them
  bool any() const { return most_hosts >= 0 || spread >= 0; }
};

/// The first placement that holds pins, capacities and rules.
Construction construct(const topo::Topology& topology, const SeatPool& pool,
                       const Constraints& constraints, const Rules& rules,
                       const ConstructLimits& limits = {});

/// The given order where it holds the rules, else a construction. infeasible where there is none, or none was
/// found (`proved`, if given, false).
Result<std::vector<Seat>> starting_seats(const topo::Topology& topology, const SeatPool& pool,
                                         const Constraints& constraints, const Rules& rules,
                                         bool* proved = nullptr);

}  // namespace topolaunch::mapping
