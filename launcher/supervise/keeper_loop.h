// SPDX-License-Identifier: Apache-2.0
//
// What runs in the keeper. It is small on purpose: starts what it is told, reaps, reports, and ends
// everything when topolaunch is gone. It can be ended only by SIGKILL.
#pragma once

#include "base/environment.h"
#include "launcher/supervise/descriptor.h"

namespace topolaunch::launcher {

/// The keeper's name in ps, top and /proc/PID/comm (at most 15 characters fit).
inline constexpr const char* kKeeperName = "topolaunch-keep";

/// Serves the channel to topolaunch until topolaunch lets it go or is gone. `environment`: what the
/// job's processes start from. Returns the keeper's exit status. To be called in a process of its
/// own.
int keep(Descriptor channel, const Environment& environment);

}  // namespace topolaunch::launcher
