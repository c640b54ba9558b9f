// SPDX-License-Identifier: Apache-2.0
//
// Who owns a run, so precisely that a later process can prove that the owner is dead: a pid alone
// proves nothing, since pids are used again and mean something in one pid namespace only.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/outside.h"

namespace topolaunch::quota {

struct Owner {
  std::string host;
  std::string boot_id;        ///< /proc/sys/kernel/random/boot_id; empty = could not look
  std::string pid_namespace;  ///< inode of /proc/self/ns/pid; empty = could not look
  std::int64_t pid = 0;
  std::int64_t pid_start = 0;  ///< clock ticks after boot, field 22 of /proc/PID/stat; 0 = could not look
};

enum class Life { alive, dead, unknown };

/// Where somebody looks from, and how.
struct Witness {
  std::string host, boot_id, pid_namespace;
  std::function<Life(std::int64_t pid, std::int64_t pid_start)> look;
};

/// dead only with proof: the same host has booted anew, or its process is gone (or its pid belongs to
/// a process that started at another time). unknown from another host or pid namespace.
Life life_of(const Owner& owner, const Witness& witness);

Owner this_process(const Outside& outside);
Witness this_machine(const Outside& outside);

}  // namespace topolaunch::quota
