// SPDX-License-Identifier: Apache-2.0
//
// Which mpirun is here: Open MPI's options differ from version to version. Asking it takes as long
// as starting topolaunch, so the answer is kept in the state folder (cache/mpirun.json) until the
// program's file changes.
#pragma once

#include <optional>
#include <string>

#include "base/outside.h"
#include "base/result.h"

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

/// The first mpirun of Open MPI in PATH. unavailable: there is none, or it doesn't answer.
Result<MpirunVersion> find_mpirun(const Outside& outside);

}  // namespace topolaunch::launcher
