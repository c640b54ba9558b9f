// SPDX-License-Identifier: Apache-2.0
#include "launcher/engine/remote_start.h"

#include <algorithm>
#include <utility>

#include "base/own_host.h"
#include "launcher/engine/mpirun_version.h"
#include "launcher/engine/shim_command.h"
#include "launcher/hosts/remote_agent.h"
#include "launcher/supervise/network.h"

namespace topolaunch::launcher {
namespace {

/// The plan's arguments for mpirun, less the agent: what stands in its place asks for it.
std::vector<std::string> without_agent(const std::vector<std::string>& given) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const bool parameter = given[i].ends_with("mca") && given[i].starts_with('-');
    const bool agent = parameter && i + 2 < given.size() &&
                       (given[i + 1].ends_with("rsh_agent") || given[i + 1] == "plm_ssh_agent");
    if (agent) {
      i += 2;
    } else {
      out.push_back(given[i]);
    }
  }
  return out;
}

}  // namespace

std::vector<std::string> hosts_elsewhere(const Plan& plan) {
  std::vector<std::string> out;
  for (const std::string& host : plan.hosts) {
    if (!is_this_machine(host)) out.push_back(host);
  }
  return out;
}

Result<RemoteStart> remote_start(const MpirunVersion& version, const Plan& plan,
                                 std::vector<std::string> elsewhere, const std::string& scratch,
                                 const Outside& outside) {
  RemoteStart out;
  out.hosts = std::move(elsewhere);
  auto agent = remote_agent(plan.engine_args, outside);
  if (!agent) return fail(std::move(agent).error());
  out.agent = std::move(*agent);
  out.engine_args = without_agent(plan.engine_args);
  // What mpirun adds to ssh when it is ssh that it starts: no X11.
  if (out.agent[0].ends_with("/ssh")) out.agent.emplace_back("-x");
  const std::string self = own_executable();
  for (const std::string& file : {self, scratch}) {
    if (file.find_first_of(" \t:") == std::string::npos) continue;
    return fail(Code::configuration,
                "'" + file + "' holds a blank or a colon, at which mpirun would cut it",
                file == self ? "put topolaunch into another folder" : "set TMPDIR");
  }

  // One line a rank: mpirun takes them in this order, repeats and all. (A hostfile with slots is a
  // set: mpirun orders it itself, and puts its own host first.)
  std::string& hosts = out.files["hosts"];
  for (const RankPlan& rank : plan.ranks) {
    // mpirun knows its own host by the one name that it calls itself.
    const bool other = std::ranges::find(out.hosts, rank.host) != out.hosts.end();
    hosts += (other ? rank.host : own_host_name()) + "\n";
  }
  const bool old = version.major < 5;
  const auto add = [&](std::initializer_list<std::string> words) {
    out.arguments.insert(out.arguments.end(), words);
  };
  const auto parameter = [&](const std::string& name, const std::string& value) {
    // The user's word counts more, and mpirun takes no parameter twice.
    if (std::ranges::find(out.engine_args, name) != out.engine_args.end()) return;
    add({old ? "--mca" : "--prtemca", name, value});
  };
  const std::string prefix = old ? "orte_" : "prte_";
  const std::string remote = old ? "plm_rsh_" : "plm_ssh_";
  add({"--hostfile", scratch + "/hosts"});
  if (old) {
    parameter("rmaps", "seq");
    add({"--oversubscribe"});
  } else {
    add({"--map-by", "seq:OVERSUBSCRIBE"});
  }
  // "a.x" and "a.y" are two hosts.
  parameter(prefix + "keep_fqdn_hostnames", "1");
  // The plan names the hosts: no resource manager is asked for them, and none starts on them.
  parameter("ras", "^slurm,gridengine,tm,lsf,loadleveler");
  parameter("plm", old ? "rsh" : "ssh");
  if (old) parameter("plm_rsh_disable_qrsh", "1");
  parameter(remote + "agent", self + " __agent");
  parameter(prefix + "launch_agent", self + " __host " + (old ? "orted" : "prted"));
  // Each host is started from here, where the secret is; and the agents stay as long as the job, so
  // more than the default of 128 have to be there at a time.
  parameter(remote + "no_tree_spawn", "1");
  const std::size_t agents = std::max<std::size_t>(128, plan.hosts.size() + 1);
  parameter(remote + "num_concurrent", std::to_string(agents));
  add({"--leave-session-attached"});
  // Silence is noticed by ourselves after 9 to 11 s; mpirun, whose default is many minutes, a
  // little later, so that the host is named first.
  parameter("oob_tcp_keepalive_time", "5");
  parameter("oob_tcp_keepalive_intvl", "3");
  parameter("oob_tcp_keepalive_probes", "3");
  return out;
}

}  // namespace topolaunch::launcher
