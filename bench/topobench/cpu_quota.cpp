// SPDX-License-Identifier: Apache-2.0
#include "bench/topobench/cpu_quota.h"

#include <sstream>

#include "base/own_cgroups.h"

namespace topolaunch::bench {
namespace {

/// "throttled_time 5" (v1, nanoseconds), "throttled_usec 5" (v2).
std::optional<Seconds> throttled(const std::string& stat) {
  std::istringstream lines(stat);
  std::string name;
  for (double value = 0; lines >> name >> value;) {
    if (name == "throttled_usec") return Seconds(value * 1e-6);
    if (name == "throttled_time") return Seconds(value * 1e-9);
  }
  return std::nullopt;
}

}  // namespace

CpuQuota::CpuQuota(const Files& files) : files_(files) {
  for (const OwnCgroup& group : own_cgroups(files)) {
    if (!group.version2 && !group.controls("cpu")) continue;
    folders_.insert(folders_.end(), group.folders.begin(), group.folders.end());
  }
}

std::optional<Seconds> CpuQuota::held_back() const {
  std::optional<Seconds> all;
  for (const std::string& folder : folders_) {
    const auto stat = files_.read(folder + "/cpu.stat", 1 << 16);
    const auto here = stat ? throttled(*stat) : std::nullopt;
    if (here) all = all.value_or(Seconds(0)) + *here;
  }
  return all;
}

}  // namespace topolaunch::bench
