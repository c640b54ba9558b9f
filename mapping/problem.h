// SPDX-License-Identifier: Apache-2.0
//
// Problem: one request with everything that the solvers share, prepared once: the seats and the blocks
// chosen, the rules, the cost model, and a placement to start from.
#pragma once

#include <string>
#include <vector>

#include "mapping/cost.h"
#include "mapping/rank_graph.h"
#include "mapping/rules.h"
#include "mapping/seats.h"
#include "mapping/solution.h"
#include "topo/topology.h"

namespace topolaunch::mapping {

/// Topology and graph must outlive it. Not for several threads at once, as its cost model.
struct Problem {
  /// infeasible (79) where no placement holds `asked`; wrong_usage for a host, level, rank or group that
  /// there is not.
  static Result<Problem> make(const topo::Topology& topology, const RankGraph& graph, const Constraints& asked);

  const topo::Topology& topology;
  const RankGraph& graph;
  Constraints constraints;  ///< as asked, with the blocks that were chosen
  SeatPool pool;
  Rules rules;
  CostModel model;
  std::vector<Seat> start;  ///< by rank; holds every constraint
  std::vector<int> pinned;  ///< ranks with a pin, by host; empty without pins
  Levels nesting;           ///< of hosts, as searches see it: the fabric's, or clusters by given distances

  int ranks() const { return constraints.ranks; }
  /// What stands against `seats` (by rank), in words; empty if they are allowed.
  std::string fault(const std::vector<Seat>& seats) const;
  /// `seats` with pinned ranks on their pins, and what belongs to them near them.
  std::vector<Seat> on_pins(std::vector<Seat> seats) const;
};

}  // namespace topolaunch::mapping
