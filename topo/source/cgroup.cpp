// SPDX-License-Identifier: Apache-2.0
#include "topo/source/cgroup.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "topo/source/sysfs_pci.h"

namespace topolaunch::topo {
namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const auto end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// The kernel writes blanks in mount points as \040.
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      unsigned value = 0;
      const auto [end, error] = std::from_chars(&text[i + 1], &text[i + 1] + 3, value, 8);
      if (error == std::errc{} && end == &text[i + 1] + 3 && value < 256) {
        out += static_cast<char>(value);
        i += 3;
        continue;
      }
    }
    out += text[i];
  }
  return out;
}

struct Mount {
  std::string point;
  std::string root = "/";  ///< the cgroup that is visible at `point`
  bool version2 = false;
  std::vector<std::string> options;  ///< controllers are among them (version 1)
};

void add_mount(std::vector<Mount>& mounts, const std::string& type, Mount mount) {
  if (type != "cgroup" && type != "cgroup2") return;
  mount.version2 = type == "cgroup2";
  mounts.push_back(std::move(mount));
}

std::vector<Mount> read_mounts(const Files& files) {
  std::vector<Mount> mounts;
  if (const auto text = files.read("/proc/self/mountinfo", std::size_t{8} << 20)) {
    // 36 35 98:0 ROOT POINT OPTIONS [optional...] - TYPE SOURCE SUPEROPTIONS
    for (const std::string& line : split(*text, '\n')) {
      const auto dash = line.find(" - ");
      if (dash == std::string::npos) continue;
      const auto left = split(std::string_view(line).substr(0, dash), ' ');
      const auto right = split(std::string_view(line).substr(dash + 3), ' ');
      if (left.size() < 6 || right.size() < 3) continue;
      add_mount(mounts, right[0],
                {unescaped(left[4]), unescaped(left[3]), false, split(right[2], ',')});
    }
    if (!mounts.empty()) return mounts;
  }
  for (const char* path : {"/proc/self/mounts", "/proc/mounts"}) {
    const auto text = files.read(path, std::size_t{8} << 20);
    if (!text) continue;
    for (const std::string& line : split(*text, '\n')) {
      const auto words = split(line, ' ');  // SOURCE POINT TYPE OPTIONS 0 0
      if (words.size() < 4) continue;
      add_mount(mounts, words[2], {unescaped(words[1]), "/", false, split(words[3], ',')});
    }
    if (!mounts.empty()) break;
  }
  return mounts;
}

bool has(const std::vector<std::string>& list, const std::string& what) {
  return std::ranges::find(list, what) != list.end();
}

/// Folders of the process's group and of those above it, innermost first; the last is the mount
/// point. A path that doesn't lie below what is mounted (a container that sees its host's names)
/// leaves the mount point alone.
std::vector<std::string> folders(const Mount& mount, const std::string& path) {
  std::string below;
  if (mount.root == "/") {
    below = path;
  } else if (path == mount.root || path.starts_with(mount.root + "/")) {
    below = path.substr(mount.root.size());
  }
  if (below.find("..") != std::string::npos) below.clear();
  std::vector<std::string> out;
  while (below.size() > 1 && out.size() < 128) {
    out.push_back(mount.point + below);
    below.resize(below.rfind('/'));
  }
  out.push_back(mount.point);
  return out;
}

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
      const auto words = split(*line, ' ');
      long allowed = 0;
      long period = 0;
      if (words.size() == 2) {
        std::from_chars(words[0].data(), words[0].data() + words[0].size(), allowed);
        std::from_chars(words[1].data(), words[1].data() + words[1].size(), period);
        tighten(out.cpu_quota, allowed, period);
      }
    }
    tighten(out.memory, read_number(files, folder + "/memory.max"));
  }
}

void read_version1(const Files& files, const std::vector<std::string>& controllers,
                   const std::vector<std::string>& where, CgroupLimits& out) {
  if (has(controllers, "cpuset")) {
    if (auto cpus = innermost_set(files, where, {"cpuset.effective_cpus", "cpuset.cpus"})) {
      out.cpus = cpus;
    }
    if (auto nodes = innermost_set(files, where, {"cpuset.effective_mems", "cpuset.mems"})) {
      out.memory_nodes = nodes;
    }
  }
  for (const std::string& folder : where) {
    if (has(controllers, "cpu")) {
      tighten(out.cpu_quota, read_number(files, folder + "/cpu.cfs_quota_us").value_or(0),
              read_number(files, folder + "/cpu.cfs_period_us").value_or(0));
    }
    if (has(controllers, "memory")) {
      tighten(out.memory, read_number(files, folder + "/memory.limit_in_bytes"));
    }
  }
}

}  // namespace

CgroupLimits read_cgroup_limits(const Files& files) {
  CgroupLimits limits;
  const auto groups = files.read("/proc/self/cgroup", std::size_t{1} << 20);
  if (!groups) return limits;
  const auto mounts = read_mounts(files);
  for (const std::string& line : split(*groups, '\n')) {  // "8:cpuset:/a/b", "0::/a/b"
    const auto first = line.find(':');
    const auto second = line.find(':', first == std::string::npos ? first : first + 1);
    if (second == std::string::npos) continue;
    const auto controllers = split(std::string_view(line).substr(first + 1, second - first - 1), ',');
    const bool version2 = controllers.size() == 1 && controllers[0].empty();
    const std::string path = line.substr(second + 1);
    const auto mount = std::ranges::find_if(mounts, [&](const Mount& m) {
      return version2 ? m.version2 : !m.version2 && std::ranges::any_of(controllers, [&](const auto& c) {
        return has(m.options, c);
      });
    });
    if (mount == mounts.end()) continue;
    const auto where = folders(*mount, path);
    if (version2) {
      read_version2(files, where, limits);
    } else {
      read_version1(files, controllers, where, limits);
    }
  }
  return limits;
}

}  // namespace topolaunch::topo
