// SPDX-License-Identifier: Apache-2.0
#include "launcher/engine_choice.h"

#include <algorithm>

namespace topolaunch::launcher {
namespace {

/// SM_HOSTS is a JSON list of names: more than one when it holds a comma.
bool several_sagemaker_hosts(const Environment& environment) {
  return environment.get_or("SM_HOSTS", "").find(',') != std::string::npos;
}

}  // namespace

Result<EngineChoice> choose_engine(const EngineSituation& s, const Environment& environment) {
  const std::string job = s.command_line.empty() ? "COMMAND" : s.command_line;
  const std::string many = "start it there by hand: mpirun --host A,B -n N topolaunch -- " + job;
  if (s.other_hosts && s.wanted == "local") {
    return fail(Code::wrong_usage, "engine 'local' starts on this host alone, and --hosts names others",
                "leave out --engine, or --hosts");
  }
  if (s.other_hosts && s.wanted == "auto" && !s.joined.empty()) {
    return fail(Code::wrong_usage,
                "this is already a rank of " + s.joined + ", and --hosts would start more of them",
                "leave out --hosts, or start topolaunch outside of " + s.joined);
  }
  if (s.peers || s.wanted == "peers") {
    return fail(Code::unavailable, "engine 'peers' is not in this version yet", many);
  }
  if (s.wanted == "srun") {
    return fail(Code::unavailable, "engine 'srun' is not in this version yet",
                "type: srun topolaunch -- " + job + " (each task joins)");
  }
  if (s.wanted == "local" || s.wanted == "mpirun") return EngineChoice{s.wanted, "asked for"};
  if (!s.joined.empty()) return EngineChoice{"join", "already a rank of " + s.joined};
  if (s.other_hosts) return EngineChoice{"mpirun", "several hosts"};
  if (environment.has("SLURM_JOB_ID")) {
    return fail(Code::unavailable,
                "this is a Slurm allocation, and engine 'srun' is not in this version yet",
                "type: srun topolaunch -- " + job + " (each task joins), or --engine local for this "
                "host alone");
  }
  if (several_sagemaker_hosts(environment) || environment.get_int("PET_NNODES").value_or(1) > 1) {
    return fail(Code::unavailable,
                "this command runs on several hosts, and engine 'peers' is not in this version yet",
                "use torchrun to start topolaunch, so that each rank joins, or --engine local for "
                "this host alone");
  }
  return EngineChoice{"local", "one host"};
}

}  // namespace topolaunch::launcher
