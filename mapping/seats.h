// SPDX-License-Identifier: Apache-2.0
//
// Seats: the places that ranks may take under the constraints, before anything is optimised.
#pragma once

#include <string>
#include <vector>

#include "mapping/solution.h"
#include "topo/topology.h"

namespace topolaunch::mapping {

/// Seats in the given order: hosts as given, GPUs in PCI order, MIG instances of a GPU together. A
/// host takes at most `capacity` ranks: less than its seats where some of its GPUs are to be chosen.
struct SeatPool {
  std::vector<Seat> seats;
  std::vector<int> capacity;  ///< by host; 0 = excluded
  /// By host, before levels took room away: spares may be where ranks may not.
  std::vector<int> before_levels;
  std::vector<int> before_spread;  ///< before it was dealt out; empty without one
  std::vector<std::string> notes;  ///< what a preference (prefer, near, spread) got
  std::vector<std::string> unmet;  ///< those that it could not have
  std::vector<int> spares;         ///< hosts kept free
  int total() const;          ///< ranks that fit
};

/// Which blocks a job goes to where --require, --near and --prefer leave several: all combinations are
/// numbered, 0 = the smallest block that holds it each time.
struct NarrowingChoice {
  int number = 0;
  bool blocks_only = false;  ///< without keeping spares and dealing out a spread
  int* of = nullptr;         ///< raised to the number of combinations
  const char* fixed = "pinned";  ///< what ranks with a pin are called
};

/// All seats under `constraints`: exclusions, slots, required / preferred / spread level, pins.
/// infeasible (79) in numbers, naming the constraint: "12 ranks, 8 seats: ...". wrong_usage for a
/// rank, level, host or GPU that does not exist.
Result<SeatPool> seat_pool(const topo::Topology& topology, const Constraints& constraints,
                           const NarrowingChoice& choice = {});

/// The given order: the first `ranks` seats of the pool, with pinned ranks on their pins.
std::vector<Seat> given_seats(const topo::Topology& topology, const SeatPool& pool,
                              const Constraints& constraints);

/// Why `seats` is no legal placement: empty if it is one. The guard behind every solver.
std::string placement_fault(const topo::Topology& topology, const SeatPool& pool,
                            const Constraints& constraints, const std::vector<Seat>& seats);

}  // namespace topolaunch::mapping
