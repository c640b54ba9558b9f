// SPDX-License-Identifier: Apache-2.0
//
// Was it the kernel that killed a rank for memory? SIGKILL alone does not say so. Evidence: the
// kernel's log names the process, or the count of such kills of the cgroup that the job is in has
// risen meanwhile.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/files.h"
#include "launcher/supervise/descriptor.h"

namespace topolaunch::launcher {

class MemoryKills {
 public:
  /// Notes the counters as they are now. `job_cgroup`: the job's own, empty if none.
  MemoryKills(const Files& files, const std::string& job_cgroup);
  /// Evidence in words that process `pid` was killed for memory since; empty = none found.
  std::string evidence(pid_t pid);

 private:
  struct Counter {
    std::string path, key;
    long value = 0;
  };
  static long count(const Files& files, const Counter& counter);
  const Files& files_;
  std::vector<Counter> counters_;
  Descriptor log_;  ///< /dev/kmsg from now on; none where it may not be read
  std::vector<pid_t> in_log_;
};

/// The pid that a line of the kernel's log says was killed for memory; 0 = another line.
pid_t pid_of_memory_kill(const std::string& line);

}  // namespace topolaunch::launcher
