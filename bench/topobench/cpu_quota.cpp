// SPDX-License-Identifier: Apache-2.0
#include "bench/topobench/cpu_quota.h"

#include <algorithm>
#include <sstream>

namespace topolaunch::bench {
namespace {

bool lists(const std::string& words, const std::string& word) {
  return ("," + words + ",").find("," + word + ",") != std::string::npos;
}

/// Path of this process's group under the controller "cpu", or of version 2 (""); nothing where it
/// has none. Lines are "8:cpu,cpuacct:/a/b" and "0::/a/b".
std::optional<std::string> group_of(const std::string& groups, const std::string& controller) {
  std::istringstream lines(groups);
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string named = line.substr(first + 1, second - first - 1);
    if (controller.empty() ? named.empty() : lists(named, controller)) {
      return line.substr(second + 1);
    }
  }
  return std::nullopt;
}

struct Mount {
  std::string root, at;
};

/// "32 31 0:29 /root /at rw - cgroup cgroup rw,cpu"
std::optional<Mount> mount_of(const std::string& mounts, bool version2) {
  std::istringstream lines(mounts);
  for (std::string line; std::getline(lines, line);) {
    const auto dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    Mount mount;
    std::string ignored, type, options;
    std::istringstream before(line.substr(0, dash)), after(line.substr(dash + 3));
    before >> ignored >> ignored >> ignored >> mount.root >> mount.at;
    after >> type >> ignored >> options;
    if (version2 ? type == "cgroup2" : type == "cgroup" && lists(options, "cpu")) return mount;
  }
  return std::nullopt;
}

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
  const auto groups = files.read("/proc/self/cgroup", std::size_t{1} << 20);
  const auto mounts = files.read("/proc/self/mountinfo", std::size_t{4} << 20);
  if (!groups || !mounts) return;
  for (const bool version2 : {false, true}) {
    auto group = group_of(*groups, version2 ? "" : "cpu");
    const auto mount = mount_of(*mounts, version2);
    if (!group || !mount) continue;
    // Inside a container the mount shows a part of the tree only.
    if (mount->root != "/" && group->starts_with(mount->root)) group->erase(0, mount->root.size());
    for (std::string path = *group; !path.empty() && path != "/";) {
      folders_.push_back(mount->at + path);
      path.erase(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
    }
    folders_.push_back(mount->at);
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
