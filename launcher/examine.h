// SPDX-License-Identifier: Apache-2.0
//
// What doctor looks at: each thing that a run can use, whether it is here, and how to get it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/outside.h"

namespace topolaunch::launcher {

struct Finding {
  /// In the order in which a newcomer asks.
  enum class Group { machine, start, measure, files, build } group = Group::machine;
  std::string name;
  enum class State { ok, missing, note } state = State::ok;
  std::string detail;
  std::string next;  ///< how to get it, or what to change
};

std::string_view group_title(Finding::Group group);

struct Examination {
  std::vector<Finding> findings;  ///< by group
  std::vector<std::string>
      advice;  ///< what the bare line does here, and what would be had with more
};

/// Asks every source and program; a few seconds at most.
Examination examine(const Outside& outside);

/// Shared memory and locked memory, which containers and login shells cut short; negative = not
/// known or no limit.
std::vector<Finding> limit_findings(double shm_bytes, double locked_bytes, bool gpus, bool rdma);

}  // namespace topolaunch::launcher
