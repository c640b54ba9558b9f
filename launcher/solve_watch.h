// SPDX-License-Identifier: Apache-2.0
//
// Who ends a search early: --solve-limit, and Ctrl-C where a verb takes that as "good enough". On a
// terminal it says how far the search is, once it takes longer than a second.
#pragma once

#include <memory>
#include <optional>

#include "base/clock.h"
#include "base/units.h"
#include "mapping/watch.h"

namespace topolaunch::launcher {

struct SolveLimits {
  std::optional<Seconds> limit;  ///< from now on
  bool interruptible = false;    ///< SIGINT ends the search; a second one ends the process
  bool progress = false;         ///< on stderr, where it is a terminal
};

/// Null where nothing is to be watched. `clock` must outlive it; one interruptible watch at a time.
std::shared_ptr<const mapping::Watch> watch_solve(const SolveLimits& limits, const Clock& clock);

}  // namespace topolaunch::launcher
