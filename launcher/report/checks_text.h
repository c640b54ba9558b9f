// SPDX-License-Identifier: Apache-2.0
//
// Checks and whole saved runs in words.
#pragma once

#include <string>

#include "base/environment.h"
#include "base/json.h"
#include "launcher/plan.h"
#include "launcher/verdict.h"

namespace topolaunch::launcher {

/// One line a check, the overall verdict last.
std::string checks_text(const Verdict& verdict);

/// What `topolaunch report` prints. `parts` holds "summary", "verdict", "measurement", "manifest" as
/// far as the run has left them, and "files".
std::string run_text(const Plan& plan, const Json& parts, const Environment& environment);

}  // namespace topolaunch::launcher
