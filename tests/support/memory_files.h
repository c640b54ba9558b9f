// SPDX-License-Identifier: Apache-2.0
//
// Files in memory, with links: a small /sys or /proc as a literal.
//
//   MemoryFiles files;
//   files.add("/proc/self/cgroup", "0::/job\n");
//   files.link("/sys/class/net/eth0", "/sys/devices/pci0000:00/0000:00:03.0/net/eth0");
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"

namespace topolaunch::test {

class MemoryFiles final : public Files {
 public:
  void add(const std::string& path, std::string content) { files_[path] = std::move(content); }
  /// `target` is absolute.
  void link(const std::string& path, std::string target) { links_[path] = std::move(target); }

  Result<std::string> read(std::string_view path, std::size_t limit) const override {
    const auto found = files_.find(real(path));
    if (found == files_.end()) return fail(Code::not_found, "no such file: " + std::string(path));
    if (found->second.size() > limit) return fail(Code::invalid_input, "too large");
    return found->second;
  }
  Result<std::vector<std::string>> list(std::string_view path) const override {
    const std::string folder = real(path) + "/";
    std::set<std::string> names;
    const auto collect = [&](const auto& table) {
      for (const auto& entry : table) {
        if (!entry.first.starts_with(folder)) continue;
        const std::string rest = entry.first.substr(folder.size());
        names.insert(rest.substr(0, rest.find('/')));
      }
    };
    collect(files_);
    collect(links_);
    if (names.empty()) return fail(Code::not_found, "no such folder: " + std::string(path));
    return std::vector<std::string>(names.begin(), names.end());
  }
  Result<std::string> resolve(std::string_view path) const override {
    if (!exists(path)) return fail(Code::not_found, "no such file: " + std::string(path));
    return real(path);
  }
  bool exists(std::string_view path) const override {
    const std::string name = real(path);
    return files_.contains(name) || list(name).has_value();
  }

 private:
  /// With all links on the way followed.
  std::string real(std::string_view path) const {
    std::string out(path);
    while (out.size() > 1 && out.ends_with('/')) out.pop_back();
    for (int i = 0; i < 40; ++i) {
      bool changed = false;
      for (const auto& [from, to] : links_) {
        if (out == from || out.starts_with(from + "/")) {
          out = to + out.substr(from.size());
          changed = true;
          break;
        }
      }
      if (!changed) break;
    }
    return out;
  }
  std::map<std::string, std::string> files_, links_;
};

}  // namespace topolaunch::test
