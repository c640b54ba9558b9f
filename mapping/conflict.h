// SPDX-License-Identifier: Apache-2.0
//
// Conflict: which constraints cannot hold together. One alone, else two, that no placement holds;
// else constraints are left out one at a time as long as the rest stays impossible: what remains is
// minimal, without any one of it a placement exists.
#pragma once

#include <string>
#include <vector>

#include "mapping/rank_graph.h"
#include "mapping/solution.h"
#include "topo/topology.h"

namespace topolaunch::mapping {

/// One constraint of the request, in words, and how to leave it out.
struct ConstraintItem {
  std::string text;
  Constraints without(const Constraints& all) const;
  int kind = 0, index = 0;
};

/// Whether a placement exists; `proved` false where a fixed amount of work found none.
struct Feasibility {
  bool possible = true, proved = true;
  Error error;
};
Feasibility feasibility(const topo::Topology& topology, const RankGraph& graph,
                        const Constraints& constraints);

/// Hard constraints of a request, one by one.
std::vector<ConstraintItem> items_of(const Constraints& constraints);

/// The fewest items of `constraints` (infeasible) that are so too, where those are one or two or
/// there are few; else as many as are left when everything that can go has gone. Without any one of
/// them a placement exists. No items where the ranks alone do not fit.
Constraints smallest_conflict(const topo::Topology& topology, const RankGraph& graph,
                              const Constraints& constraints);

/// `error` (infeasible) with the smallest conflicting set in words.
Error with_conflict(const topo::Topology& topology, const RankGraph& graph,
                    const Constraints& constraints, Error error);

}  // namespace topolaunch::mapping
