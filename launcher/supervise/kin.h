// SPDX-License-Identifier: Apache-2.0
//
// Kin: the processes below one of ours, as /proc shows them. The keeper is a subreaper
// (PR_SET_CHILD_SUBREAPER), so a process of the job that was forked twice, or has a session of its
// own, is still below it, and nothing else is.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "launcher/supervise/descriptor.h"

namespace topolaunch::launcher {

struct Kin {
  pid_t pid = 0, parent = 0;
  char state = '?';              ///< of /proc/PID/stat: R, S, D, T, Z, ...
  unsigned long long start = 0;  ///< clock ticks since boot
  std::string name;
};

/// One line of /proc/PID/stat; pid 0 if it isn't there any more.
Kin read_kin(pid_t pid);
/// The live processes below `root`, nearest first; zombies are left out.
std::vector<Kin> kin_below(pid_t root);

/// Sends `signal` to each, through a pidfd that is checked to be the same process still: a process
/// number that has gone to somebody else is never hit. Returns how many got it.
int signal_kin(const std::vector<Kin>& kin, int signal);

/// A handle on a process that stays with it when its number is used again. None: it is gone.
Descriptor open_pidfd(pid_t pid);
int signal_pidfd(int pidfd, int signal);

}  // namespace topolaunch::launcher
