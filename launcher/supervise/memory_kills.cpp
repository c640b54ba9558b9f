// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervise/memory_kills.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <sstream>

#include "launcher/supervise/job_cgroup.h"

namespace topolaunch::launcher {
namespace {

/// "memory.oom_control" of the cgroup v1 that we are in, if that controller is mounted so.
std::string own_memory_cgroup1(const Files& files) {
  const auto membership = files.read("/proc/self/cgroup", 1 << 20);
  const auto mounts = files.read("/proc/self/mountinfo", 1 << 22);
  if (!membership || !mounts) return {};
  const auto lists_memory = [](const std::string& names) {
    return ("," + names + ",").find(",memory,") != std::string::npos;
  };
  std::string own;
  std::istringstream lines(*membership);
  for (std::string line; std::getline(lines, line);) {
    const auto a = line.find(':');
    const auto b = line.find(':', a + 1);
    if (b != std::string::npos && lists_memory(line.substr(a + 1, b - a - 1)))
      own = line.substr(b + 1);
  }
  if (own.empty()) return {};
  std::istringstream table(*mounts);
  for (std::string line; std::getline(table, line);) {
    const auto dash = line.find(" - cgroup ");
    if (dash == std::string::npos || !lists_memory(line.substr(line.rfind(',') + 1))) continue;
    std::istringstream fields(line);
    std::string skip, root, point;
    fields >> skip >> skip >> skip >> root >> point;
    if (root != "/" && own.starts_with(root)) own.erase(0, root.size());
    return point + (own == "/" ? "" : own);
  }
  return {};
}

}  // namespace

pid_t pid_of_memory_kill(const std::string& line) {
  // "Killed process 4711 (python) ..." (mm/oom_kill.c, Linux 4 to 6), "Memory cgroup out of memory:
  // Killed process 4711 ..."
  constexpr std::string_view words = "Killed process ";
  const auto at = line.find(words);
  if (at == std::string::npos || line.find("emory", 0) == std::string::npos) return 0;
  return static_cast<pid_t>(std::strtol(line.c_str() + at + words.size(), nullptr, 10));
}

MemoryKills::MemoryKills(const Files& files, const std::string& job_cgroup) : files_(files) {
  std::string group = job_cgroup.empty() ? own_cgroup(files) : job_cgroup;
  for (int level = 0; level < 64 && group.size() > 1; ++level) {
    counters_.push_back({group + "/memory.events", "oom_kill", 0});
    const auto slash = group.rfind('/');
    if (slash == std::string::npos || slash == 0) break;
    group.erase(slash);
    if (group == "/sys/fs/cgroup") break;
  }
  if (const std::string own = own_memory_cgroup1(files); !own.empty()) {
    counters_.push_back({own + "/memory.oom_control", "oom_kill", 0});
  }
  std::erase_if(counters_, [&](const Counter& c) { return !files.exists(c.path); });
  for (Counter& counter : counters_) counter.value = count(files, counter);
  // Readable for root, or where kernel.dmesg_restrict is 0. Only what comes from now on counts:
  // process numbers are used again.
  log_.reset(::open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (log_) ::lseek(log_.get(), 0, SEEK_END);
}

long MemoryKills::count(const Files& files, const Counter& counter) {
  const auto text = files.read(counter.path, 1 << 16);
  if (!text) return 0;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(counter.key + " "))
      return std::atol(line.c_str() + counter.key.size() + 1);
  }
  return 0;
}

std::string MemoryKills::evidence(pid_t pid) {
  for (const Counter& counter : counters_) {
    if (count(files_, counter) > counter.value) return counter.path + " counts a kill for memory";
  }
  std::array<char, 8192> record;
  for (int n = 0; log_ && n < 100'000; ++n) {
    const ssize_t size = ::read(log_.get(), record.data(), record.size());
    if (size < 0 && errno == EPIPE) continue;  // overwritten while we read
    if (size <= 0) break;
    const pid_t killed =
        pid_of_memory_kill(std::string(record.data(), static_cast<std::size_t>(size)));
    if (killed > 0) in_log_.push_back(killed);
  }
  if (std::ranges::find(in_log_, pid) == in_log_.end()) return {};
  return "the kernel's log names process " + std::to_string(pid);
}

}  // namespace topolaunch::launcher
