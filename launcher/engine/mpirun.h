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

namespace topolaunch::launcher {

/// What `mpirun --version` says.
struct MpirunVersion {
  std::string program;  ///< path
  int major = 0, minor = 0;
  std::string text;  ///< "4.1.4"
  bool known() const { return (major == 4 && minor >= 0) || major == 5; }
};

/// From the first line of `mpirun --version`: "mpirun (Open MPI) 4.1.4"; nothing for another MPI.
std::optional<MpirunVersion> mpirun_version_from(const std::string& output);

/// (rank, wait status) of the rank that mpirun's words blame for the end of the job.
std::optional<std::pair<int, int>> failure_in_mpirun_words(const std::string& words);

class MpirunEngine final : public Engine {
 public:
  std::string name() const override { return "mpirun"; }
  /// The first word is `env` where variables have to be set for it.
  Result<std::vector<std::vector<std::string>>> commands(const Plan& plan,
                                                         const Outside& outside) const override;
  Result<std::unique_ptr<Run>> start(const Plan& plan, const Outside& outside) const override;
  /// unavailable: no mpirun of Open MPI in PATH. Asked once, then remembered.
  Result<MpirunVersion> version(const Outside& outside) const;

 private:
  mutable std::optional<MpirunVersion> version_;
};

}  // namespace topolaunch::launcher
