// SPDX-License-Identifier: Apache-2.0
#include "launcher/examine.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/capabilities.h"
#include "base/counted.h"
#include "launcher/bench_job.h"
#include "launcher/machine.h"
#include "launcher/run_directory.h"
#include "quota/open_ledger.h"
#include "topo/draw/fabric_tree.h"
#include "topo/host_words.h"

namespace topolaunch::launcher {
namespace {

using Group = Finding::Group;
using State = Finding::State;

std::string first_line(const std::string& text) {
  const auto begin = text.find_first_not_of("\r\n\t ");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find('\n', begin) - begin);
}

Finding ask_program(const Outside& outside, Group group, const std::string& name,
                    const std::vector<std::string>& argv, const std::string& next) {
  const auto output = outside.commands.run(argv, Seconds(5));
  if (!output) return {group, name, State::missing, output.error().message, next};
  if (output->status != 0) {
    return {group, name, State::missing,
            fmt::format("'{}' ended with {}: {}", argv.front(), output->status,
                        first_line(output->err + output->out)),
            next};
  }
  return {group, name, State::ok, first_line(output->out + output->err), {}};
}

Finding source_finding(const topo::SurveyEntry& entry) {
  Finding out{Group::machine, entry.source, State::ok, entry.why, {}};
  if (entry.status == topo::SurveyEntry::Status::nothing) {
    out.state = State::note;
    out.detail = "looked, saw nothing" + (entry.why.empty() ? "" : ": " + entry.why);
  }
  if (entry.status == topo::SurveyEntry::Status::unavailable) {
    out.state = State::missing;
    // A source's reason ends with what to do; that is said on a line of its own here.
    const auto advice = entry.why.find("; ");
    out.detail = "could not look: " + entry.why.substr(0, advice);
    if (advice != std::string::npos) out.next = entry.why.substr(advice + 2);
  }
  return out;
}

void find_machine(std::vector<Finding>& findings, const topo::Topology& topology) {
  const topo::Host& host = topology.hosts.front();
  Finding gpus{Group::machine, "GPUs", State::ok, topo::draw::host_kind(host), {}};
  if (host.gpus.empty()) {
    gpus.state = State::note;
    gpus.detail = "none seen (" + why_no_gpu(topology) + ")";
  }
  findings.push_back(std::move(gpus));
  Finding nics{Group::machine, "network", State::ok, topo::draw::network_kind(host), {}};
  const bool rdma = std::ranges::any_of(host.nics, [](const topo::Nic& nic) { return nic.rdma; });
  if (nics.detail.empty()) {
    nics.state = State::note;
    nics.detail = "no NIC seen";
  } else if (!rdma) {
    nics.detail += ", without RDMA";
  }
  findings.push_back(std::move(nics));
  Finding cpus{Group::machine,
               "CPUs",
               State::ok,
               fmt::format("{} of {} allowed", host.allowed_cpus.size(), host.cpus.size()),
               {}};
  if (host.cpu_quota)
    cpus.detail += fmt::format(", time of {:.1f} (control group)", *host.cpu_quota);
  if (host.allowed_cpus != host.cpus) {
    cpus.state = State::note;
    cpus.next = "ranks are bound within what is allowed (cpuset, taskset, container)";
  }
  findings.push_back(std::move(cpus));
  for (const topo::SurveyEntry& entry : topology.survey) findings.push_back(source_finding(entry));
  struct statvfs shm {};
  const double shm_bytes = ::statvfs("/dev/shm", &shm) == 0 ? static_cast<double>(shm.f_blocks) *
                                                                  static_cast<double>(shm.f_frsize)
                                                            : -1;
  rlimit locked{};
  const bool bounded =
      ::getrlimit(RLIMIT_MEMLOCK, &locked) == 0 && locked.rlim_cur != RLIM_INFINITY;
  for (Finding& one : limit_findings(shm_bytes, bounded ? static_cast<double>(locked.rlim_cur) : -1,
                                     !host.gpus.empty(), rdma)) {
    findings.push_back(std::move(one));
  }
}

/// What "no orphans" rests on here.
Finding find_cgroup(const Outside& outside) {
  Finding finding{Group::start, "cgroup v2", State::note, {}, {}};
  constexpr const char* kInstead = "ranks are ended by subreaper and parent-death signals";
  const auto own = outside.files.read("/proc/self/cgroup", 65536);
  std::string path;
  if (own) {
    const auto at = own->find("0::/");
    if (at != std::string::npos) path = own->substr(at + 3, own->find('\n', at) - at - 3);
  }
  const std::string folder = "/sys/fs/cgroup" + (path == "/" ? std::string() : path);
  if (!outside.files.exists("/sys/fs/cgroup/cgroup.controllers") || path.empty()) {
    finding.detail = std::string("not mounted; ") + kInstead;
    return finding;
  }
  if (::access(folder.c_str(), W_OK) != 0) {
    finding.detail = folder + " can't be written; " + kInstead;
    finding.next = "systemd-run --user --scope -p Delegate=yes topolaunch ...";
    return finding;
  }
  finding.state = State::ok;
  finding.detail = "can be written";
  return finding;
}

void find_places(std::vector<Finding>& findings, const Outside& outside) {
  if (auto state = state_directory(outside.environment)) {
    std::string existing = *state;
    while (!existing.empty() && !outside.files.exists(existing)) {
      existing.erase(existing.rfind('/'));
    }
    const bool writable = ::access(existing.empty() ? "/" : existing.c_str(), W_OK) == 0;
    findings.push_back({Group::files, "run files", writable ? State::ok : State::missing,
                        *state + "/runs" + (writable ? "" : " can't be written"),
                        writable ? "" : "set TOPOLAUNCH_STATE_DIR"});
  } else {
    findings.push_back(
        {Group::files, "run files", State::missing, state.error().message, state.error().next});
  }
  auto ledger = quota::ledger_path("", outside);
  if (!ledger) {
    findings.push_back({Group::files, "ledger", State::note, ledger.error().message, {}});
  } else if (!outside.files.exists(*ledger)) {
    findings.push_back({Group::files, "ledger", State::note, "none yet at " + *ledger,
                        "only with quota tokens: topolaunch quota issue makes it"});
  } else {
    findings.push_back({Group::files, "ledger", State::ok, *ledger + " (advisory)", {}});
  }
}

std::vector<std::string> advice_on(const std::vector<Finding>& findings, std::size_t gpus,
                                   std::size_t cpus) {
  const auto is = [&](std::string_view name, State state) {
    return std::ranges::any_of(
        findings, [&](const Finding& one) { return one.name == name && one.state == state; });
  };
  std::vector<std::string> out;
  out.push_back(gpus > 0
                    ? fmt::format("topolaunch -- CMD starts {} here, one a GPU, bound to its CPUs",
                                  counted(gpus, "rank"))
                    : fmt::format("topolaunch -- CMD starts 1 rank here; -n N starts more on {}",
                                  counted(cpus, "CPU")));
  if (is("engine mpirun", State::missing)) {
    out.emplace_back("not here: MPI programs and several hosts (no mpirun)");
  }
  if (is("topobench", State::missing)) {
    out.emplace_back("not here: measuring (bench, --validate quick): no topobench");
  }
  if (gpus == 0 && is("nvml", State::missing)) {
    out.emplace_back("GPUs were not looked for: if there are some, see nvml below");
  }
  return out;
}

}  // namespace

std::string_view group_title(Group group) {
  constexpr std::array<std::string_view, 5> kTitles{"this machine", "starting jobs", "measuring",
                                                    "files", "this build"};
  return kTitles[static_cast<std::size_t>(group)];
}

std::vector<Finding> limit_findings(double shm_bytes, double locked_bytes, bool gpus, bool rdma) {
  // NCCL's user guide ("Troubleshooting", 2.28) asks for --shm-size=1g --ulimit memlock=-1 in
  // containers, whose defaults are 64 MiB and 64 KiB.
  constexpr double kShared = 1e9, kLocked = 1e9;
  std::vector<Finding> out;
  if (shm_bytes >= 0) {
    Finding shm{Group::machine,
                "/dev/shm",
                State::ok,
                topolaunch::to_text(Bytes(static_cast<std::int64_t>(shm_bytes))),
                {}};
    if (shm_bytes < kShared) {
      shm.state = State::note;
      shm.detail += gpus ? "; NCCL may find it too small" : "; MPI and NCCL may find it too small";
      shm.next = "in a container: --shm-size=1g, or --ipc=host";
    }
    out.push_back(std::move(shm));
  }
  if (locked_bytes >= 0 && locked_bytes < kLocked && rdma) {
    out.push_back({Group::machine, "locked memory", State::missing,
                   topolaunch::to_text(Bytes(static_cast<std::int64_t>(locked_bytes))) +
                       "; RDMA can't register its buffers",
                   "ulimit -l unlimited (limits.conf), in a container: --ulimit memlock=-1"});
  }
  return out;
}

Examination examine(const Outside& outside) {
  Examination out;
  std::vector<Finding>& findings = out.findings;
  std::size_t gpus = 0, cpus = 0;
  if (auto topology = look_at({}, outside)) {
    find_machine(findings, *topology);
    gpus = topology->hosts.front().gpus.size();
    cpus = static_cast<std::size_t>(topology->hosts.front().allowed_cpus.size());
  } else {
    findings.push_back({Group::machine, "discovery", State::missing, topology.error().message,
                        topology.error().next});
  }
  findings.push_back({Group::start, "engine local", State::ok, "built in", {}});
  findings.push_back(ask_program(outside, Group::start, "engine mpirun", {"mpirun", "--version"},
                                 "apt-get install openmpi-bin"));
  findings.push_back(find_cgroup(outside));
  if (const auto topobench = find_topobench(outside)) {
    findings.push_back(ask_program(outside, Group::measure, "topobench", {*topobench, "--version"},
                                   "apt-get install libopenmpi-dev, build again"));
  } else {
    findings.push_back({Group::measure, "topobench", State::missing, topobench.error().message,
                        topobench.error().next});
  }
  find_places(findings, outside);
  for (const Capability& part : capabilities()) {
    findings.push_back({Group::build,
                        std::string(part.name),
                        part.present ? State::ok : State::note,
                        (part.present ? "" : "no: ") + std::string(part.detail),
                        {}});
    if (part.present && part.detail.empty()) findings.back().detail = "yes";
  }
  out.advice = advice_on(findings, gpus, cpus);
  return out;
}

}  // namespace topolaunch::launcher
