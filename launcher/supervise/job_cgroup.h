// SPDX-License-Identifier: Apache-2.0
//
// JobCgroup: a cgroup v2 of the job's own below the one we are in, where that may be written. No
// process leaves it by forking, and cgroup.kill (Linux 5.14) ends all of it at once. It carries no
// controller: it is a fence, not a limit.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/files.h"
#include "launcher/supervise/descriptor.h"

namespace topolaunch::launcher {

/// The folder of the cgroup v2 that this process is in, from /proc/self/cgroup and mountinfo; empty
/// if there is no cgroup v2.
std::string own_cgroup(const Files& files);

/// The job's own group below `parent`; on another host than the launcher's with that host's name,
/// as several hosts may be on one machine. Empty where there is no parent.
std::string job_cgroup_path(const std::string& parent, const std::string& run_id,
                            const std::string& host = {});

class JobCgroup {
 public:
  JobCgroup() = default;
  /// Makes it, and takes away what launchers that were killed have left empty beside it. An empty
  /// one when that can't be, or can't be killed.
  static JobCgroup make(const std::string& path);
  /// One that somebody else made.
  static JobCgroup existing(std::string path);

  explicit operator bool() const { return !path_.empty(); }
  const std::string& path() const { return path_; }
  /// As fork(2); the child is born inside. (Moving a process in later waits for a grace period of
  /// the kernel's, some 10 ms.) An empty group forks where the caller is. The child may do only what
  /// is safe after fork in a signal handler.
  pid_t fork() const;
  void kill() const;
  void remove();

 private:
  std::string path_;
  Descriptor folder_;  ///< locked for as long as somebody keeps the group
};

}  // namespace topolaunch::launcher
