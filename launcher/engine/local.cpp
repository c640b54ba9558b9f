// SPDX-License-Identifier: Apache-2.0
#include "launcher/engine/local.h"

#include "launcher/engine/mpi_use.h"
#include "launcher/engine/shim_command.h"
#include "launcher/shim/order.h"
#include "launcher/supervise/job_run.h"

namespace topolaunch::launcher {

Result<std::vector<std::vector<std::string>>> LocalEngine::commands(const Plan& plan,
                                                                    const Outside&) const {
  std::vector<std::vector<std::string>> out;
  for (const RankPlan& rank : plan.ranks) out.push_back(shim_command(plan, rank.rank));
  return out;
}

Result<std::unique_ptr<Run>> LocalEngine::start(const Plan& plan, const Outside& outside) const {
  if (plan.hosts.size() > 1) {
    return fail(Code::unavailable,
                "engine local starts ranks on this host only, and the plan has " +
                    std::to_string(plan.hosts.size()) + " hosts",
                "use --engine mpirun");
  }
  if (plan.ranks.size() > 1) {
    const std::string library = mpi_library_of(plan.executable, outside.files);
    if (!library.empty()) {
      return fail(Code::configuration,
                  "'" + plan.command.front() + "' is linked with " + library +
                      ", and engine local gives no MPI: it would run as " +
                      std::to_string(plan.ranks.size()) + " worlds of one rank",
                  "use --engine mpirun");
    }
  }
  Launch launch;
  for (const RankPlan& rank : plan.ranks) {
    KeptProcess shim;
    shim.argv = shim_command(plan, rank.rank);
    shim.argv[0].clear();  // topolaunch itself, also when its file was replaced meanwhile
    shim.environment[kControlRank] = std::to_string(rank.rank);
    shim.dies_with_keeper = true;
    launch.processes.push_back(std::move(shim));
  }
  return JobRun::start(plan, outside, std::move(launch));
}

}  // namespace topolaunch::launcher
