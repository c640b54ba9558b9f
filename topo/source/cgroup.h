// SPDX-License-Identifier: Apache-2.0
//
// What the control groups of this process allow, version 1 and 2, read from /proc/self/cgroup and the
// mounted hierarchies. A limit anywhere on the way up counts; the tightest one is the answer.
#pragma once

#include <optional>

#include "base/cpu_set.h"
#include "base/files.h"
#include "base/units.h"

namespace topolaunch::topo {

struct CgroupLimits {
  std::optional<CpuSet> cpus;          ///< nothing: no cpuset controller, or it doesn't say
  std::optional<CpuSet> memory_nodes;
  std::optional<double> cpu_quota;     ///< CPUs' worth of time per second
  Bytes memory;                        ///< 0 = no limit
};

/// Never fails: what can't be read limits nothing that is known.
CgroupLimits read_cgroup_limits(const Files& files);

}  // namespace topolaunch::topo
