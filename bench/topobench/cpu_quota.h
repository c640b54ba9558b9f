// SPDX-License-Identifier: Apache-2.0
//
// For how long a CPU quota has held this process's group back, as the kernel counts it (cpu.stat of
// cgroup v1 and v2). A fact where slowness is a guess: the group used up its share of a period and
// stood still for the rest of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/units.h"

namespace topolaunch::bench {

class CpuQuota {
 public:
  explicit CpuQuota(const Files& files);
  /// Since the group was made, summed over the levels above it; nothing where no level says so.
  std::optional<Seconds> held_back() const;

 private:
  const Files& files_;
  std::vector<std::string> folders_;  ///< of the group and of those above it, as far as mounted
};

}  // namespace topolaunch::bench
