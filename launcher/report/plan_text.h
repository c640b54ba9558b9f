// SPDX-License-Identifier: Apache-2.0
//
// A plan in words: the table and the exact commands of --dry-run.
#pragma once

#include <string>
#include <vector>

#include "launcher/plan.h"
#include "launcher/report/story.h"

namespace topolaunch::launcher {

/// One line a rank: rank, host, GPU, NUMA node, CPUs, NICs; columns as wide as needed.
std::string plan_table(const Plan& plan);

/// What --dry-run prints: engine and why, the table, estimate, variables of rank 0, commands.
std::string dry_run_text(const Story& story,
                         const std::vector<std::vector<std::string>>& commands);

}  // namespace topolaunch::launcher
