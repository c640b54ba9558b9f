// SPDX-License-Identifier: Apache-2.0
//
// own_cgroups(): the folders of the control groups that this process is in, version 1 and 2, from
// /proc/self/cgroup and the mounted hierarchies.
#pragma once

#include <string>
#include <vector>

#include "base/files.h"

namespace topolaunch {

struct OwnCgroup {
  bool version2 = false;
  std::vector<std::string> controllers;  ///< version 1: cpu, cpuset, memory, ...
  /// The innermost first; the last is the mount point.
  std::vector<std::string> folders;
  /// The first folder is the group itself: a container that sees its host's names has but the mount
  /// point, of whatever group that is.
  bool exact = false;

  bool controls(const std::string& what) const;  ///< version 1
};

/// One a hierarchy, in the kernel's order. Empty where /proc doesn't say.
std::vector<OwnCgroup> own_cgroups(const Files& files);

}  // namespace topolaunch
