// SPDX-License-Identifier: Apache-2.0
#include "launcher/engine/remote_start.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

#include "launcher/engine/mpirun_version.h"
#include "launcher/engine/shim_command.h"
#include "launcher/supervise/network.h"

namespace topolaunch::launcher {
namespace {

/// Names that Open MPI 4.1 and 5.0 have for the parameter; all mean the same.
const std::set<std::string> kAgentParameters{"plm_rsh_agent", "plm_ssh_agent", "pls_rsh_agent",
                                             "orte_rsh_agent"};

std::vector<std::string> split(const std::string& text) {
  std::istringstream words(text);
  std::vector<std::string> out;
  for (std::string word; words >> word;) out.push_back(word);
  return out;
}

/// The value of the agent's parameter in one of Open MPI's files, if it is there.
std::string agent_in_file(const std::string& path, const Files& files) {
  const auto text = files.read(path, 1 << 20);
  std::istringstream lines(text ? *text : std::string());
  std::string found;
  for (std::string line; std::getline(lines, line);) {
    const auto equal = line.find('=');
    if (equal == std::string::npos) continue;
    const auto name = split(line.substr(0, equal));
    if (name.size() == 1 && kAgentParameters.count(name[0]) != 0) found = line.substr(equal + 1);
  }
  return found;
}

/// Open MPI's order: command line, environment, the user's file, the site's, "ssh : rsh".
std::vector<std::string> agent_of(const Plan& plan, std::vector<std::string>& engine_args,
                                  const Outside& outside) {
  std::string value;
  const std::vector<std::string>& given = plan.engine_args;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::string& word = given[i];
    const bool parameter = word == "--mca" || word == "-mca" || word == "--prtemca" ||
                           word == "-prtemca" || word == "--gmca" || word == "-gmca";
    if (parameter && i + 2 < given.size() && kAgentParameters.count(given[i + 1]) != 0) {
      value = given[i + 2];
      i += 2;
    } else {
      engine_args.push_back(word);
    }
  }
  for (const std::string& name : kAgentParameters) {
    for (const char* const prefix : {"OMPI_MCA_", "PRTE_MCA_"}) {
      if (value.empty()) value = outside.environment.get_or(prefix + name, "");
    }
  }
  const std::string home = outside.environment.get_or("HOME", "/nonexistent");
  for (const std::string& path :
       {home + "/.openmpi/mca-params.conf", std::string("/etc/openmpi/openmpi-mca-params.conf")}) {
    if (value.empty()) value = agent_in_file(path, outside.files);
  }
  // Agents to choose from are separated by colons: the first that is there.
  std::istringstream choices(value.empty() ? "ssh : rsh" : value);
  const std::string path = outside.environment.get_or("PATH", "/usr/bin:/bin");
  std::vector<std::string> first;
  for (std::string choice; std::getline(choices, choice, ':');) {
    const auto words = split(choice);
    if (words.empty()) continue;
    if (find_executable(words[0], path)) return words;
    if (first.empty()) first = words;
  }
  return first;
}

std::string own_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace

std::vector<std::string> hosts_elsewhere(const Plan& plan) {
  std::vector<std::string> out;
  // One host is this one, as a rule, and asking nobody is faster.
  if (plan.hosts.size() <= 1 && (plan.hosts.empty() || plan.hosts[0] == own_name())) return out;
  for (const std::string& host : plan.hosts) {
    if (!is_this_machine(host)) out.push_back(host);
  }
  return out;
}

Result<RemoteStart> remote_start(const MpirunVersion& version, const Plan& plan,
                                 const std::string& scratch, const Outside& outside) {
  RemoteStart out;
  out.agent = agent_of(plan, out.engine_args, outside);
  const std::string path = outside.environment.get_or("PATH", "/usr/bin:/bin");
  if (out.agent.empty() || !find_executable(out.agent[0], path)) {
    const std::string name = out.agent.empty() ? "ssh" : out.agent[0];
    return fail(Code::unavailable,
                "'" + name + "', which starts ranks on other hosts, isn't in PATH",
                name == "ssh" ? "apt-get install openssh-client, or name another by --engine-args "
                                "'--mca plm_rsh_agent PROGRAM'"
                              : "see --engine-args '--mca plm_rsh_agent PROGRAM'");
  }
  // What mpirun adds to ssh when it is ssh that it starts: no X11.
  if (out.agent[0] == "ssh" || out.agent[0].ends_with("/ssh")) out.agent.emplace_back("-x");
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
  for (const RankPlan& rank : plan.ranks) hosts += rank.host + "\n";
  const bool old = version.major < 5;
  const auto add = [&](std::initializer_list<std::string> words) {
    out.arguments.insert(out.arguments.end(), words);
  };
  const auto parameter = [&](const std::string& name, const std::string& value) {
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
  parameter(remote + "num_concurrent", std::to_string(std::max<std::size_t>(128, plan.hosts.size() + 1)));
  add({"--leave-session-attached"});
  // Silence is noticed by ourselves after 9 to 11 s; mpirun, whose default is many minutes, a
  // little later, so that the host is named first.
  parameter("oob_tcp_keepalive_time", "5");
  parameter("oob_tcp_keepalive_intvl", "3");
  parameter("oob_tcp_keepalive_probes", "3");
  return out;
}

}  // namespace topolaunch::launcher
