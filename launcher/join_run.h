// SPDX-License-Identifier: Apache-2.0
//
// Join mode: one of N ranks that another launcher has started (mpirun -n 4 topolaunch -- app). It
// looks at the machine, takes the place that its local rank has in the solution for all ranks of
// this host (each computes the same), and becomes the command. It starts nobody.
#pragma once

#include <string>

#include "base/outside.h"
#include "launcher/join.h"
#include "launcher/options.h"
#include "launcher/voice.h"

namespace topolaunch::launcher {

/// Returns only if the command could not be started, or with --dry-run.
Result<Answer> join_run(const RunOptions& options, const JoinedRank& joined,
                        const std::string& executable, const std::string& run_id,
                        const Outside& outside, const Voice& voice);

}  // namespace topolaunch::launcher
