// SPDX-License-Identifier: Apache-2.0
//
// --summary and --log-dir, looked at before anything is started: what is found to be unwritable
// only when the job has ended is lost.
#pragma once

#include "base/result.h"
#include "launcher/options.h"

namespace topolaunch::launcher {

/// configuration (78) with the option and the system's reason. Tries by making files that it takes
/// away again; makes no folder.
Status check_output_paths(const RunOptions& options);

}  // namespace topolaunch::launcher
