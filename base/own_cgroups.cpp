// SPDX-License-Identifier: Apache-2.0
#include "base/own_cgroups.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

namespace topolaunch {
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

/// The folders for the group `path`. One that doesn't lie below what is mounted leaves the mount
/// point alone.
void find_folders(const Mount& mount, const std::string& path, OwnCgroup& group) {
  std::string below;
  group.exact = true;
  if (mount.root == "/") {
    below = path;
  } else if (path == mount.root || path.starts_with(mount.root + "/")) {
    below = path.substr(mount.root.size());
  } else {
    group.exact = false;
  }
  if (below.find("..") != std::string::npos) {
    below.clear();
    group.exact = false;
  }
  while (below.size() > 1 && group.folders.size() < 128) {
    group.folders.push_back(mount.point + below);
    below.resize(below.rfind('/'));
  }
  group.folders.push_back(mount.point);
}

}  // namespace

bool OwnCgroup::controls(const std::string& what) const { return has(controllers, what); }

std::vector<OwnCgroup> own_cgroups(const Files& files) {
  std::vector<OwnCgroup> out;
  const auto groups = files.read("/proc/self/cgroup", std::size_t{1} << 20);
  if (!groups) return out;
  const auto mounts = read_mounts(files);
  for (const std::string& line : split(*groups, '\n')) {  // "8:cpuset:/a/b", "0::/a/b"
    const auto first = line.find(':');
    const auto second = line.find(':', first == std::string::npos ? first : first + 1);
    if (second == std::string::npos) continue;
    OwnCgroup group;
    group.controllers = split(std::string_view(line).substr(first + 1, second - first - 1), ',');
    group.version2 = group.controllers.size() == 1 && group.controllers[0].empty();
    if (group.version2) group.controllers.clear();
    const auto mount = std::ranges::find_if(mounts, [&](const Mount& m) {
      return m.version2 == group.version2 &&
             (m.version2 || std::ranges::any_of(group.controllers, [&](const auto& controller) {
                return has(m.options, controller);
              }));
    });
    if (mount == mounts.end()) continue;
    find_folders(*mount, line.substr(second + 1), group);
    out.push_back(std::move(group));
  }
  return out;
}

}  // namespace topolaunch
