// SPDX-License-Identifier: Apache-2.0
//
// What mpirun is told so that it starts a plan over several hosts: each rank where the plan says,
// through which agent, with topolaunch's own programs in between.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/outside.h"
#include "launcher/plan.h"

namespace topolaunch::launcher {

struct MpirunVersion;

struct RemoteStart {
  std::vector<std::string> arguments;        ///< for mpirun
  std::vector<std::string> engine_args;      ///< the plan's, less the agent
  std::vector<std::string> hosts;            ///< those that aren't this machine
  std::vector<std::string> agent;            ///< what starts a command on another host: ssh
  std::map<std::string, std::string> files;  ///< by name, in the scratch folder
};

/// Hosts of the plan that aren't this machine, in the plan's order.
std::vector<std::string> hosts_elsewhere(const Plan& plan);

/// `elsewhere`: hosts_elsewhere(). `scratch`: mpirun's folder for this run. unavailable: there is no
/// such agent.
Result<RemoteStart> remote_start(const MpirunVersion& version, const Plan& plan,
                                 std::vector<std::string> elsewhere, const std::string& scratch,
                                 const Outside& outside);

/// The variables of `given` that go along to ranks on other hosts. Those that belong to a host or
/// a session stay (HOSTNAME, SSH_*, XDG_*), so do another launcher's (OMPI_*, SLURM_*), and what
/// looks like a secret by its name, unless TOPOLAUNCH_FORWARD names it ("HF_TOKEN,WANDB_*").
std::map<std::string, std::string> carried_variables(const Environment& given);

}  // namespace topolaunch::launcher
