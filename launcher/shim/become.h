// SPDX-License-Identifier: Apache-2.0
//
// The last step of a shim: to become the command, with nothing of topolaunch left behind.
#pragma once

#include "launcher/shim/order.h"

namespace topolaunch::launcher {

/// Descriptors that are open now. Those that appear later are ours or a library's (NVML keeps
/// device files open), and are closed when the command starts.
CpuSet open_descriptors();

/// Enters the working folder, puts signal dispositions and mask back (all default, but
/// `order.ignored_signals`), execs. Returns only on failure: not_found, not_executable, or
/// configuration for the working folder. A script without "#!" is run by /bin/sh, as execvp does.
Error become(const Order& order, const Environment& variables, const CpuSet& keep_descriptors);

}  // namespace topolaunch::launcher
