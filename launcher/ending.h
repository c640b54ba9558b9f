// SPDX-License-Identifier: Apache-2.0
//
// How a rank, and how the whole job, came to its end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/units.h"

namespace topolaunch::launcher {

/// What a shim saw inside its rank just before the command started.
struct RankObservation {
  int rank = 0;
  int pid = 0;
  std::string host;            ///< what it calls itself
  std::optional<bool> on_planned_host;  ///< under any of its names; nothing = not said
  std::string cpus;            ///< sched_getaffinity, as a list
  std::vector<int> numa;       ///< NUMA nodes of those CPUs
  std::string memory_policy;   ///< "preferred 0", "default", "can't be set: EPERM"
  std::string visible_devices; ///< CUDA_VISIBLE_DEVICES as the rank sees it
  std::string gpu_uuid, gpu_pci;  ///< of visible device LOCAL_RANK, asked from NVML; empty = not asked
  std::vector<std::string> nics;
  std::vector<std::string> problems;  ///< differences to the plan, and what could not be checked
};

/// One rank's end.
struct RankEnding {
  int rank = 0;
  std::string host;
  int exit_status = 0;  ///< of the process, or 128 + signal
  int signal = 0;       ///< 0 = it exited by itself
  bool out_of_memory = false;
  bool ended_by_us = false;  ///< it was told to stop because another rank failed, or by limit or signal
};

/// The job's end. `by` goes into the summary as ended_by.
struct Ending {
  enum class By { job, time_limit, interrupt, signal, launch_failure, engine, host_lost, output };
  By by = By::job;
  int exit_status = 0;                      ///< what topolaunch exits with
  std::optional<RankEnding> first_failure;  ///< the first rank that failed by itself
  std::string cause;                        ///< in words; empty when all went well
  std::vector<RankEnding> ranks;
  std::vector<RankObservation> observations;
  std::string last_words;                   ///< stderr of who failed, where the plan was unheard
  std::vector<std::string> notes;           ///< what else has to be said: a log cut short, ...
  Seconds elapsed{0};  ///< boot clock, from the first rank's exec to the last exit
};

}  // namespace topolaunch::launcher
