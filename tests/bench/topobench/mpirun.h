// SPDX-License-Identifier: Apache-2.0
//
// Real runs under mpirun for the tests of topobench. Where there is no mpirun the test skips and
// says so, or fails if TOPOLAUNCH_REQUIRE names "mpi".
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/commands.h"

namespace topolaunch::bench {

inline bool mpirun_is_here() {
  const char* path = std::getenv("PATH");
  return find_executable("mpirun", path == nullptr ? "" : path).has_value();
}

#define NEEDS_MPIRUN()                                                                      \
  if (!mpirun_is_here()) {                                                                  \
    const char* required = std::getenv("TOPOLAUNCH_REQUIRE");                               \
    if (required != nullptr && std::string_view(required).find("mpi") != std::string::npos) \
      FAIL() << "no mpirun in PATH";                                                        \
    GTEST_SKIP() << "no mpirun in PATH";                                                    \
  }

/// A program of the build folder, named from its root, under mpirun. Ranks take turns on the CPUs
/// there are, whoever runs this may be root, and what leaks is Open MPI's. The session folder is its own:
/// two runs that begin at once both try to make the common one, and Open MPI 4 takes that for an error.
inline CommandOutput mpirun(int ranks, const std::string& program, std::vector<std::string> arguments,
                            Seconds limit = Seconds(90)) {
  const char* build = std::getenv("TOPOLAUNCH_BINARY_DIR");
  const std::string sessions = "/tmp/topobench-" + std::to_string(getpid());
  std::vector<std::string> argv{"env", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                                "OMPI_MCA_mpi_yield_when_idle=1", "OMPI_MCA_btl_base_warn_component_unused=0",
                                "ASAN_OPTIONS=detect_leaks=0",
                                "OMPI_MCA_orte_tmpdir_base=" + sessions, "mpirun", "--oversubscribe", "--bind-to",
                                "none", "-n", std::to_string(ranks),
                                std::string(build == nullptr ? "." : build) + "/" + program};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  auto output = SystemCommands().run(argv, limit);
  std::error_code ignored;
  std::filesystem::remove_all(sessions, ignored);
  if (!output) return {-1, "", output.error().text()};
  return *output;
}

}  // namespace topolaunch::bench
