// SPDX-License-Identifier: Apache-2.0
//
// This process's place: CPUs and memory policy, set and asked by system call (libnuma is not needed
// for it). In containers seccomp often refuses the memory calls; that is a remark, not the end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/cpu_set.h"

namespace topolaunch::launcher {

/// Binds to `cpus`; nothing if empty. Returns what went wrong in words, if anything did.
std::optional<std::string> bind_cpus(const CpuSet& cpus);

/// Prefers memory of `nodes`; leaves the policy alone if empty. One node: MPOL_PREFERRED. Several:
/// MPOL_PREFERRED_MANY (Linux 5.15), on older kernels the first of them.
std::optional<std::string> prefer_memory(const std::vector<int>& nodes);
/// "default", "preferred 0", "preferred 0-1", "bind 1", "interleave 0-1", "local", or
/// "can't be read: ...".
std::string memory_policy();

}  // namespace topolaunch::launcher
