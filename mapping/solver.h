// SPDX-License-Identifier: Apache-2.0
//
// Seam: chooses a seat for every rank. An implementation returns seats by rank; evaluation against
// the given order, affinity and reasons are solve()'s, the same for all solvers.
#pragma once

#include <string>
#include <vector>

#include "mapping/problem.h"
#include "mapping/rank_graph.h"
#include "mapping/seats.h"
#include "mapping/solution.h"
#include "topo/topology.h"

namespace topolaunch::mapping {

class Solver {
 public:
  virtual ~Solver() = default;
  virtual std::string name() const = 0;
  /// Seats by rank, all different, honouring the constraints; infeasible with the constraint named.
  virtual Result<std::vector<Seat>> place(const Problem& problem) const = 0;
};

/// Runs every solver that fits the size, evaluates each result and the simple orders, returns the
/// best in the chosen objective: never worse than the given order (where that order is allowed).
/// infeasible (79) with the smallest set of constraints that cannot hold together.
/// `own`: a solver of the user's in place of ours; its placement is the answer, if it is legal.
Result<Solution> solve(const topo::Topology& topology, const RankGraph& graph,
                       const Constraints& constraints, const Solver* own = nullptr);

/// Placement, estimates by `model`, reasons of seats that are decided, held against `given` (a seat on host
/// -1: not in this topology).
Solution solution_of(const CostModel& model, const topo::Topology& topology, const RankGraph& graph,
                     const Constraints& constraints, const SeatPool& pool, const std::vector<Seat>& given,
                     const std::vector<Seat>& seats);

}  // namespace topolaunch::mapping
