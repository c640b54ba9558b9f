// SPDX-License-Identifier: Apache-2.0
#include "launcher/engine/mpirun.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <map>

#include "base/own_cpus.h"
#include "launcher/engine/remote_start.h"
#include "launcher/engine/shim_command.h"
#include "launcher/supervise/job_run.h"

namespace topolaunch::launcher {
namespace {

std::optional<int> number_behind(const std::string& text, std::string_view words,
                                 std::size_t from = 0) {
  const auto at = text.find(words, from);
  if (at == std::string::npos) return std::nullopt;
  const char* begin = text.data() + at + words.size();
  const char* const end = text.data() + text.size();
  while (begin < end && *begin == ' ') ++begin;
  int value = 0;
  if (std::from_chars(begin, end, value).ec != std::errc{}) return std::nullopt;
  return value;
}

/// What mpirun's look at its own machine (by hwloc) leaves out, as it takes long and serves
/// nothing: displays and GPUs (CUDA's start alone takes seconds); where all ranks are here also
/// PCI, which Open MPI asks for the NIC near a rank. 28 of 108 ms of `mpirun -n 2 true` on two
/// cores.
constexpr const char* kHwlocComponents = "HWLOC_COMPONENTS";
constexpr const char* kUnusedByMpirun = "-gl,-opencl,-cuda,-nvml,-rsmi,-levelzero";
constexpr const char* kUnusedOnOneHost = ",-pci,-linuxio";

/// Variables for mpirun itself. Open MPI refuses root unless both of its own are set; containers
/// are root.
std::map<std::string, std::string> variables_for(const MpirunVersion& version,
                                                 const Environment& environment, bool one_host) {
  std::map<std::string, std::string> out;
  if (!environment.has(kHwlocComponents)) {
    out[kHwlocComponents] = std::string(kUnusedByMpirun) + (one_host ? kUnusedOnOneHost : "");
  }
  if (::geteuid() == 0) {
    for (const char* const name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"}) {
      out[name] = "1";
    }
    if (version.major >= 5) {
      for (const char* const name : {"PRTE_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM"}) {
        out[name] = "1";
      }
    }
  }
  std::erase_if(out, [&](const auto& v) { return environment.get(v.first) == v.second; });
  return out;
}

std::string scratch_for(const Plan& plan, const Environment& environment);

/// Whether two ranks of a host may get in each other's way on a CPU, as far as the plan says.
bool ranks_share_cpus(const Plan& plan) {
  std::map<std::string, CpuSet> taken;
  for (const RankPlan& rank : plan.ranks) {
    CpuSet& cpus = taken[rank.host];
    if (cpus.intersects(rank.cpus)) return true;
    cpus = cpus | rank.cpus;
  }
  return false;
}

std::vector<std::string> arguments(const MpirunVersion& version, const Plan& plan,
                                   const Outside& outside, const RemoteStart* remote) {
  const std::string ranks = std::to_string(plan.ranks.size());
  std::vector<std::string> argv{version.program};
  const auto add = [&](std::initializer_list<const char*> words) {
    argv.insert(argv.end(), words.begin(), words.end());
  };
  add({"-n", ranks.c_str(), "--bind-to", "none"});
  const auto& given = remote != nullptr ? remote->engine_args : plan.engine_args;
  const auto parameter = [&](const char* kind, const char* name, const std::string& value) {
    // The user's word counts more, and mpirun takes no parameter twice.
    if (std::ranges::find(given, name) == given.end()) add({kind, name, value.c_str()});
  };
  const std::string host = "localhost:" + ranks;
  if (remote != nullptr) {
    argv.insert(argv.end(), remote->arguments.begin(), remote->arguments.end());
  } else if (add({"--host", host.c_str()}); version.major >= 5) {
    add({"--map-by", ":OVERSUBSCRIBE"});
  } else {
    add({"--oversubscribe"});
  }
  const char* const runtime = version.major >= 5 ? "--prtemca" : "--mca";
  // Inside a Slurm allocation Open MPI would ask Slurm for the hosts and start through srun.
  if (remote == nullptr && outside.environment.has("SLURM_JOB_ID")) {
    parameter(runtime, "ras", "^slurm");
    parameter(runtime, "plm", "^slurm");
  }
  // mpirun gives the ranks of a failed job this long between SIGTERM and SIGKILL. Its default of 1
  // s would cut --grace short.
  const std::string grace =
      std::to_string(std::max(1L, std::lround(std::ceil(plan.grace.count()))));
  parameter(runtime, "odls_base_sigkill_timeout", grace);
  parameter(runtime, version.major >= 5 ? "prte_tmpdir_base" : "orte_tmpdir_base",
            scratch_for(plan, outside.environment));
  // Ranks that share a CPU must not spin while they wait. Open MPI sees that only when it counts
  // slots itself, not with the slots that are given here.
  const bool crowded = remote != nullptr
                           ? ranks_share_cpus(plan)
                           : own_cpus().size() < static_cast<int>(plan.ranks.size());
  if (crowded) parameter("--mca", "mpi_yield_when_idle", "1");
  argv.insert(argv.end(), given.begin(), given.end());
  const std::vector<std::string> shim = shim_command(plan);
  argv.insert(argv.end(), shim.begin(), shim.end());
  return argv;
}

/// mpirun's session folder, which it leaves behind when it is killed.
std::string scratch_for(const Plan& plan, const Environment& environment) {
  return environment.get_or("TMPDIR", "/tmp") + "/topolaunch-" + plan.id;
}

/// Nothing = the whole plan is on this host.
Result<std::optional<RemoteStart>> remote_part(const MpirunVersion& version, const Plan& plan,
                                               const Outside& outside) {
  std::vector<std::string> hosts = hosts_elsewhere(plan);
  if (hosts.empty()) return std::nullopt;
  auto remote = remote_start(version, plan, std::move(hosts),
                             scratch_for(plan, outside.environment), outside);
  if (!remote) return fail(std::move(remote).error());
  return std::optional(std::move(*remote));
}

}  // namespace

std::optional<std::pair<int, int>> failure_in_mpirun_words(const std::string& words) {
  // Open MPI 4.1, orte/tools/orterun/help-orterun.txt:
  //   mpirun noticed that process rank 2 with PID 0 on node h exited on signal 9 (Killed).
  //   Process name: [[24376,1],1]   Exit code:    7
  if (const auto rank = number_behind(words, "noticed that process rank ")) {
    if (const auto signal = number_behind(words, "exited on signal "))
      return {{*rank, *signal & 0x7f}};
  }
  if (const auto name = words.find("Process name: [["); name != std::string::npos) {
    const auto rank = number_behind(words, "],", name);
    const auto code = number_behind(words, "Exit code:", name);
    if (rank && code) return {{*rank, (*code & 0xff) << 8}};
  }
  return std::nullopt;
}

Result<std::vector<std::vector<std::string>>> MpirunEngine::commands(const Plan& plan,
                                                                     const Outside& outside) const {
  const auto found = find_mpirun(outside);
  if (!found) return tl::unexpected(found.error());
  auto remote = remote_part(*found, plan, outside);
  if (!remote) return tl::unexpected(std::move(remote).error());
  const RemoteStart* const elsewhere = *remote ? &**remote : nullptr;
  std::vector<std::string> argv;
  for (const auto& [name, value] :
       variables_for(*found, outside.environment, elsewhere == nullptr)) {
    if (argv.empty()) argv.emplace_back("env");
    argv.push_back(name + "=" + value);
  }
  const std::vector<std::string> rest = arguments(*found, plan, outside, elsewhere);
  argv.insert(argv.end(), rest.begin(), rest.end());
  return std::vector<std::vector<std::string>>{std::move(argv)};
}

Result<std::unique_ptr<Run>> MpirunEngine::start(const Plan& plan, const Outside& outside) const {
  const auto found = find_mpirun(outside);
  if (!found) return tl::unexpected(found.error());
  auto remote = remote_part(*found, plan, outside);
  if (!remote) return tl::unexpected(std::move(remote).error());
  const RemoteStart* const elsewhere = *remote ? &**remote : nullptr;
  Launch launch;
  launch.program = "mpirun";
  launch.scratch = scratch_for(plan, outside.environment);
  launch.shims = false;
  launch.gives_mpi = true;
  launch.failure_in_words = failure_in_mpirun_words;
  if (!found->known()) {
    launch.notes.push_back("mpirun is Open MPI " + found->text +
                           ", which topolaunch doesn't know; tried with the options of " +
                           (found->major >= 5 ? "5.0" : "4.1"));
  }
  if (elsewhere != nullptr) {
    launch.hosts = elsewhere->hosts;
    launch.agent = elsewhere->agent;
    launch.files = elsewhere->files;
    launch.carried = carried_variables(outside.environment);
    launch.wanted_address = outside.environment.get_or("MASTER_ADDR", "");
    const long port = outside.environment.get_int("MASTER_PORT").value_or(0);
    if (port > 0 && port < 65536) launch.wanted_port = static_cast<int>(port);
  }
  KeptProcess mpirun;
  mpirun.argv = arguments(*found, plan, outside, elsewhere);
  mpirun.environment = variables_for(*found, outside.environment, elsewhere == nullptr);
  if (mpirun.environment.contains(kHwlocComponents)) launch.engine_only.push_back(kHwlocComponents);
  mpirun.dies_with_keeper = true;
  launch.processes.push_back(std::move(mpirun));
  return JobRun::start(plan, outside, std::move(launch));
}

}  // namespace topolaunch::launcher
