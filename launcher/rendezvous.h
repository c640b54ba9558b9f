// SPDX-License-Identifier: Apache-2.0
//
// MASTER_ADDR and MASTER_PORT: a port that is free on rank 0's host. Ranks that were started by
// somebody else (join mode) agree on one through a small file, since they have no common parent
// of ours.
#pragma once

#include <string>

#include "base/environment.h"
#include "base/result.h"
#include "launcher/supervise/free_port.h"

namespace topolaunch::launcher {

/// What all ranks of one outer launch share and no other launch does; empty if nothing is known.
std::string launch_key(const Environment& environment);

/// The port that the first rank of this launch on this host chose; the others read the same. The
/// file lies in a folder of mode 0700 that only this user owns: $XDG_RUNTIME_DIR, else /tmp.
Result<int> agreed_port(const std::string& key, const Environment& environment);

}  // namespace topolaunch::launcher
