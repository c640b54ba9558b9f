// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervise/kin.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

namespace topolaunch::launcher {

Kin read_kin(pid_t pid) {
  Kin kin;
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/stat", static_cast<int>(pid));
  const Descriptor file(::open(path.data(), O_RDONLY | O_CLOEXEC));
  if (!file) return kin;
  std::array<char, 2048> text{};
  const ssize_t n = ::read(file.get(), text.data(), text.size() - 1);
  if (n <= 0) return kin;
  // pid (name) state ppid ...: the name may hold blanks and parentheses, so from the last one.
  const char* const open = std::strchr(text.data(), '(');
  const char* const close = std::strrchr(text.data(), ')');
  if (open == nullptr || close == nullptr || close < open) return kin;
  long parent = 0;
  unsigned long long start = 0;
  char state = '?';
  // The fields from 3 (state) on; 4 is the parent, 22 the start time (man 5 proc).
  if (std::sscanf(
          close + 1,
          " %c %ld %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
          &state, &parent, &start) != 3) {
    return kin;
  }
  kin.pid = pid;
  kin.parent = static_cast<pid_t>(parent);
  kin.state = state;
  kin.start = start;
  kin.name.assign(open + 1, close);
  return kin;
}

std::vector<Kin> kin_below(pid_t root) {
  std::multimap<pid_t, Kin> by_parent;
  DIR* const folder = ::opendir("/proc");
  if (folder == nullptr) return {};
  while (const dirent* const entry = ::readdir(folder)) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    Kin kin = read_kin(static_cast<pid_t>(std::atol(entry->d_name)));
    if (kin.pid != 0) by_parent.emplace(kin.parent, std::move(kin));
  }
  ::closedir(folder);
  std::vector<Kin> out;
  std::vector<pid_t> parents{root};
  std::set<pid_t> seen{root};  // a snapshot that isn't of one moment could hold a circle
  for (std::size_t i = 0; i < parents.size(); ++i) {
    const auto [first, last] = by_parent.equal_range(parents[i]);
    for (auto it = first; it != last; ++it) {
      if (!seen.insert(it->second.pid).second) continue;
      parents.push_back(it->second.pid);
      if (it->second.state != 'Z' && it->second.state != 'X') out.push_back(it->second);
    }
  }
  return out;
}

Descriptor open_pidfd(pid_t pid) {
  return Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0U)));
}

int signal_pidfd(int pidfd, int signal) {
  return static_cast<int>(::syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, 0U));
}

int signal_kin(const std::vector<Kin>& kin, int signal) {
  int reached = 0;
  for (const Kin& one : kin) {
    const Descriptor handle = open_pidfd(one.pid);
    if (!handle || read_kin(one.pid).start != one.start) continue;
    if (signal_pidfd(handle.get(), signal) == 0) ++reached;
  }
  return reached;
}

}  // namespace topolaunch::launcher
