// SPDX-License-Identifier: Apache-2.0
//
// Seam: starts a plan. The plan says everything; an engine decides nothing about placement.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/outside.h"
#include "launcher/ending.h"
#include "launcher/plan.h"

namespace topolaunch::launcher {

/// A started job.
class Run {
 public:
  virtual ~Run() = default;
  /// Waits to the end, forwarding output, signals that topolaunch gets, and the time limit.
  /// `heartbeat` is called about every ten seconds with the elapsed time; what it returns not empty
  /// ends the job for that reason (a fenced ledger).
  virtual Result<Ending> wait(const std::function<std::string(Seconds)>& heartbeat) = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string name() const = 0;
  /// The exact commands that start() would run, for --dry-run and for the run directory.
  virtual Result<std::vector<std::vector<std::string>>> commands(const Plan& plan,
                                                                 const Outside& outside) const = 0;
  /// Starts all ranks; not_found / not_executable / unavailable leave nothing running.
  virtual Result<std::unique_ptr<Run>> start(const Plan& plan, const Outside& outside) const = 0;
};

/// "local" or "mpirun".
Result<std::unique_ptr<Engine>> make_engine(const std::string& name);

/// Entry of the shim, the program that every rank is started as: binds, sets the environment,
/// checks, reports and execs. `argv` is what follows "topolaunch __shim". Never returns on success.
int shim_main(const std::vector<std::string>& argv, const Outside& outside);

/// Entry of the host keeper, which keeps the job's processes on another host: `topolaunch __host
/// orted ...`, in place of orted.
int host_main(const std::vector<std::string>& argv, const Outside& outside);

/// Entry of the agent's wrapper, in place of ssh: `topolaunch __agent HOST COMMAND...`.
int agent_main(const std::vector<std::string>& argv, const Outside& outside);

/// True for "__shim" and the others above: main hands argv over before it looks at anything else.
bool is_inner_program(std::string_view word);
/// Runs the one that `word` names with what follows it on the command line.
int inner_program_main(std::string_view word, const std::vector<std::string>& argv,
                       const Outside& outside);

}  // namespace topolaunch::launcher
