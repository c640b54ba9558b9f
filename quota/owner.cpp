// SPDX-License-Identifier: Apache-2.0
#include "quota/owner.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <string_view>

#include "base/own_host.h"

namespace topolaunch::quota {
namespace {

struct ProcessStat {
  char state = '?';
  std::int64_t start = 0;
};

/// /proc/PID/stat: "1234 (name) S ..."; the name may hold spaces and parentheses.
bool read_stat(const Files& files, std::int64_t pid, ProcessStat& out) {
  const auto text = files.read("/proc/" + std::to_string(pid) + "/stat");
  if (!text) return false;
  const auto end = text->rfind(')');
  if (end == std::string::npos || end + 2 >= text->size()) return false;
  std::string_view rest = std::string_view(*text).substr(end + 2);
  out.state = rest.front();
  for (int field = 3; field < 22; ++field) {
    const auto space = rest.find(' ');
    if (space == std::string_view::npos) return false;
    rest.remove_prefix(space + 1);
  }
  return std::from_chars(rest.data(), rest.data() + rest.size(), out.start).ec == std::errc{};
}

std::string boot_id(const Files& files) {
  std::string text = files.read("/proc/sys/kernel/random/boot_id").value_or("");
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

std::string pid_namespace() {
  struct stat info {};
  return ::stat("/proc/self/ns/pid", &info) == 0 ? std::to_string(info.st_ino) : "";
}

}  // namespace

Life life_of(const Owner& owner, const Witness& witness) {
  if (owner.boot_id.empty() || witness.boot_id.empty()) return Life::unknown;
  if (owner.boot_id != witness.boot_id) {
    // Another machine has another boot id too: only the same host's is a proof.
    return !owner.host.empty() && owner.host == witness.host ? Life::dead : Life::unknown;
  }
  if (owner.pid <= 0 || owner.pid_namespace.empty() || owner.pid_namespace != witness.pid_namespace) {
    return Life::unknown;
  }
  return witness.look ? witness.look(owner.pid, owner.pid_start) : Life::unknown;
}

Owner this_process(const Outside& outside) {
  Owner owner{own_host_name(), boot_id(outside.files), pid_namespace(), ::getpid(), 0};
  ProcessStat stat;
  if (read_stat(outside.files, owner.pid, stat)) owner.pid_start = stat.start;
  return owner;
}

Witness this_machine(const Outside& outside) {
  const Files* files = &outside.files;
  return Witness{own_host_name(), boot_id(*files), pid_namespace(), [files](std::int64_t pid, std::int64_t start) {
                   // kill() first: with hidepid /proc shows nothing of other users' processes.
                   if (::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH) return Life::dead;
                   ProcessStat stat;
                   if (!read_stat(*files, pid, stat)) return Life::unknown;
                   if (stat.state == 'Z' || stat.state == 'X') return Life::dead;
                   if (start == 0) return Life::unknown;
                   return stat.start == start ? Life::alive : Life::dead;
                 }};
}

}  // namespace topolaunch::quota
