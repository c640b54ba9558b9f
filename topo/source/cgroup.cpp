// SPDX-License-Identifier: Apache-2.0
#include "topo/source/cgroup.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "base/own_cgroups.h"
#include "topo/source/sysfs_pci.h"

namespace topolaunch::topo {
namespace {

/// The set in the innermost folder that has one of the `names` and something in it.
std::optional<CpuSet> innermost_set(const Files& files, const std::vector<std::string>& where,
                                    std::initializer_list<const char*> names) {
  for (const std::string& folder : where) {
    for (const char* name : names) {
      const auto line = read_line(files, folder + "/" + name);
      if (!line || line->empty()) continue;
      if (auto set = CpuSet::from_list(*line); set && !set->empty()) return std::move(*set);
    }
  }
  return std::nullopt;
}

void tighten(std::optional<double>& quota, long allowed, long period) {
  if (allowed <= 0 || period <= 0) return;
  const double value = static_cast<double>(allowed) / static_cast<double>(period);
  quota = quota ? std::min(*quota, value) : value;
}

void tighten(Bytes& limit, std::optional<long> bytes) {
  // Version 1 writes "no limit" as the largest page-aligned number, a little below 2^63.
  if (!bytes || *bytes <= 0 || *bytes >= (1L << 62)) return;
  if (limit.count() == 0 || *bytes < limit.count()) limit = Bytes(*bytes);
}

void read_version2(const Files& files, const std::vector<std::string>& where, CgroupLimits& out) {
  if (auto cpus = innermost_set(files, where, {"cpuset.cpus.effective"})) out.cpus = cpus;
  if (auto nodes = innermost_set(files, where, {"cpuset.mems.effective"})) out.memory_nodes = nodes;
  for (const std::string& folder : where) {
    if (const auto line = read_line(files, folder + "/cpu.max")) {  // "300000 100000", "max 100000"
      long allowed = 0;
      long period = 0;
      if (std::istringstream(*line) >> allowed >> period) tighten(out.cpu_quota, allowed, period);
    }
    tighten(out.memory, read_number(files, folder + "/memory.max"));
  }
}

void read_version1(const Files& files, const OwnCgroup& group, CgroupLimits& out) {
  if (group.controls("cpuset")) {
    if (auto cpus = innermost_set(files, group.folders, {"cpuset.effective_cpus", "cpuset.cpus"})) {
      out.cpus = cpus;
    }
    if (auto nodes =
            innermost_set(files, group.folders, {"cpuset.effective_mems", "cpuset.mems"})) {
      out.memory_nodes = nodes;
    }
  }
  for (const std::string& folder : group.folders) {
    if (group.controls("cpu")) {
      tighten(out.cpu_quota, read_number(files, folder + "/cpu.cfs_quota_us").value_or(0),
              read_number(files, folder + "/cpu.cfs_period_us").value_or(0));
    }
    if (group.controls("memory")) {
      tighten(out.memory, read_number(files, folder + "/memory.limit_in_bytes"));
    }
  }
}

}  // namespace

CgroupLimits read_cgroup_limits(const Files& files) {
  CgroupLimits limits;
  for (const OwnCgroup& group : own_cgroups(files)) {
    group.version2 ? read_version2(files, group.folders, limits)
                   : read_version1(files, group, limits);
  }
  return limits;
}

}  // namespace topolaunch::topo
