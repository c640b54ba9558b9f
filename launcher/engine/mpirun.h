// SPDX-License-Identifier: Apache-2.0
//
// Engine `mpirun`: Open MPI's launcher (4.1, 5.0). It starts one shim a rank and gives MPI;
// binding, environment and output are topolaunch's, so --bind-to none. Rank r is shim r: Open MPI
// numbers them (OMPI_COMM_WORLD_RANK), and each shim asks topolaunch for the order of its number.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "launcher/engine.h"
#include "launcher/engine/mpirun_version.h"

namespace topolaunch::launcher {

/// (rank, wait status) of the rank that mpirun's words blame for the end of the job.
std::optional<std::pair<int, int>> failure_in_mpirun_words(const std::string& words);

class MpirunEngine final : public Engine {
 public:
  std::string name() const override { return "mpirun"; }
  /// The first word is `env` where variables have to be set for it.
  Result<std::vector<std::vector<std::string>>> commands(const Plan& plan,
                                                         const Outside& outside) const override;
  Result<std::unique_ptr<Run>> start(const Plan& plan, const Outside& outside) const override;
};

}  // namespace topolaunch::launcher
