// SPDX-License-Identifier: Apache-2.0
//
// A TCP port that is free on this host at this moment, for MASTER_PORT.
#pragma once

#include "base/result.h"

namespace topolaunch::launcher {

/// A TCP port that nobody is bound to at this moment (asked from the kernel).
Result<int> free_port();
/// Whether `port` can be bound on all addresses now.
bool is_free_port(int port);

}  // namespace topolaunch::launcher
