// SPDX-License-Identifier: Apache-2.0
//
// Join mode: topolaunch that was started as one of N ranks (`mpirun -n 4 topolaunch -- app`) starts
// nobody. It prepares this one rank and becomes the command.
//
//   if (auto joined = joined_rank(outside.environment)) { ... plan of one rank ...;
//   exec_joined(plan, outside, {}); }
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/outside.h"
#include "launcher/ending.h"
#include "launcher/plan.h"

namespace topolaunch::launcher {

/// What the launcher above said about this process. Numbers that it did not say are -1.
struct JoinedRank {
  int rank = -1, world = -1;
  int local_rank = -1, local_world = -1;
  int group_rank = -1;  ///< number of this host among the job's hosts
  std::string source;   ///< "Open MPI", "Slurm step", "MPICH", "torchrun"
};

/// Nothing when the environment is not that of a rank: a Slurm batch script (no SLURM_STEP_ID), a
/// PyTorchJob pod (RANK without LOCAL_RANK), numbers that contradict each other. The innermost
/// launcher wins: Open MPI under srun is Open MPI.
std::optional<JoinedRank> joined_rank(const Environment& environment);

/// The shim in this very process: binds, sets the environment of plan.ranks[0], checks, calls
/// `seen` with what it saw, and becomes plan.executable. Returns only on failure: not_found,
/// not_executable, or configuration when the working folder can't be entered.
Status exec_joined(const Plan& plan, const Outside& outside,
                   const std::function<void(const RankObservation&)>& seen);

}  // namespace topolaunch::launcher
