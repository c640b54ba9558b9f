// SPDX-License-Identifier: Apache-2.0
//
// May this run start on this grant, and for how long? Pure arithmetic on values.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "quota/demand.h"
#include "quota/ledger_store.h"

namespace topolaunch::quota {

/// Longest wall limit that anybody can ask for: keeps count x wall far from overflow.
inline constexpr std::int64_t kLongestWallSeconds = std::int64_t{10} * 366 * 86400;

struct Allowance {
  std::int64_t wall_seconds = 0;  ///< 0 = no limit (a run that counts nothing)
  std::string wall_why;           ///< empty: as asked for
  std::int64_t gpu_seconds = 0;   ///< to hold: count x wall
};

/// denied: over the grant itself, whatever else runs. try_again: over what is free at the moment.
///
/// Without a time limit of the user's, the wall limit is what is left of the budget over the grant's
/// GPU count (so that a run which takes all GPUs gets everything, and one that takes a part leaves
/// the others theirs), within what is free, max_wall_s and the window.
Result<Allowance> allow(const Balance& account, const Demand& demand, std::int64_t now);

}  // namespace topolaunch::quota
