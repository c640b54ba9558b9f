// SPDX-License-Identifier: Apache-2.0
//
// The choice of blocks: which block --require takes, which hosts --spares keeps and how --spread
// deals ranks out is chosen before anything is placed, by size alone. Where the other rules do not
// hold in that choice, the others are tried, best first, until they do; only when all are tried the
// request is infeasible. --spread gives way to the others, as little as they need.
#pragma once

#include <vector>

#include "mapping/rules.h"
#include "mapping/seats.h"

namespace topolaunch::mapping {

struct ChosenBlocks {
  /// The same request; where the first choice would not do, with the chosen one as ranks that each
  /// host takes in place of the levels and spares.
  Constraints constraints;
  SeatPool pool;
  std::vector<Seat> start;  ///< a placement that holds everything
};

/// infeasible where there is none; `proved` (may be null) false where a fixed amount of search
/// found none.
Result<ChosenBlocks> choose_blocks(const topo::Topology& topology, const Constraints& constraints,
                                   const Rules& rules, bool* proved = nullptr);

}  // namespace topolaunch::mapping
