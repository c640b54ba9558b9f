// SPDX-License-Identifier: Apache-2.0
//
// The command line of a shim. What stands behind "--" is for readers (ps, --dry-run): a shim takes
// its order from the control channel.
#pragma once

#include <string>
#include <vector>

#include "launcher/plan.h"

namespace topolaunch::launcher {

/// This program's own file.
std::string own_executable();
/// SELF __shim [--rank R] -- COMMAND...; no rank where the engine's variables say it.
std::vector<std::string> shim_command(const Plan& plan, int rank = -1);

}  // namespace topolaunch::launcher
