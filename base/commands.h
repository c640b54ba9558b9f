// SPDX-License-Identifier: Apache-2.0
//
// Port: run one program to its end and get what it printed. For asking (mpirun --version, scontrol
// show ...), never for the job itself.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace topolaunch {

struct CommandOutput {
  int status = 0;  ///< exit status; 128+n for signal n
  std::string out;
  std::string err;
};

class Commands {
 public:
  virtual ~Commands() = default;
  /// Runs argv[0] (looked up in PATH) without a shell, stdin empty. not_found / not_executable if
  /// it can't be started, try_again past the deadline, unavailable if it prints more than 64 MiB
  /// (the program and its group are killed then). A daemon that it leaves behind is not waited for.
  virtual Result<CommandOutput> run(const std::vector<std::string>& argv,
                                    Seconds deadline = Seconds(10)) const = 0;
};

class SystemCommands final : public Commands {
 public:
  Result<CommandOutput> run(const std::vector<std::string>& argv, Seconds deadline) const override;
};

/// Path of the executable that execvp would start for `name` with this PATH; not_found or
/// not_executable as the shell tells them apart.
Result<std::string> find_executable(const std::string& name, const std::string& path_variable);

/// argv as a line that a POSIX shell reads back as the same words.
std::string shell_quoted(const std::vector<std::string>& argv);
/// Splits a string into words as a POSIX shell would (quotes, backslashes; no expansion).
Result<std::vector<std::string>> shell_words(const std::string& line);

}  // namespace topolaunch
