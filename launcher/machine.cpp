// SPDX-License-Identifier: Apache-2.0
#include "launcher/machine.h"

#include <utility>

#include "base/own_cpus.h"
#include "base/own_host.h"
#include "topo/assemble.h"
#include "topo/link_rate.h"
#include "topo/survey.h"

namespace topolaunch::launcher {

Result<topo::Topology> look_at(const TopologyOptions& options, const Outside& outside) {
  topo::Sources sources;
  // A captured machine's /sys and /proc replay in place of this one's; files that the user names, and
  // our own, are still this machine's.
  const RootedFiles captured(outside.environment.get_or("TOPOLAUNCH_FSROOT", "/"));
  const bool live = options.topologies.empty();
  const Outside where{live ? captured : outside.files, outside.commands, outside.clock,
                      outside.environment};
  if (live) {
    sources = topo::live_sources(own_host_name());
  } else {
    auto given = topo::given_sources(options.topologies, options.distance, outside);
    if (!given) return fail(std::move(given).error());
    sources = std::move(*given);
  }
  auto survey = topo::discover(sources, where);
  if (!survey) return fail(std::move(survey).error());
  auto topology = topo::assemble(std::move(*survey));
  if (topology && !options.link_rate.empty()) {
    if (Status ok = topo::apply_link_rates(options.link_rate, *topology); !ok) {
      return fail(std::move(ok).error().within("--link-rate"));
    }
  }
  if (topology && topology->hosts.empty() && !live) {
    // The files are to blame, and their first finding says where.
    Error error{Code::invalid_input, "no host was found in it", {}, options.topologies.front(), 0};
    if (!topology->warnings.empty()) {
      const topo::Warning& first = topology->warnings.front();
      error.message += ": " + first.message;
      if (!first.file.empty()) error = std::move(error).at(first.file, first.line);
    }
    return fail(std::move(error).try_next("see: topolaunch lint " + options.topologies.front()));
  }
  if (topology && topology->hosts.empty()) {
    return fail(Code::unavailable, "no host was found in what was looked at",
                "give --topology, or see: topolaunch doctor");
  }
  return topology;
}

Status take_as_this_machine(topo::Topology& topology, const std::string& own_host) {
  if (topology.hosts.size() != 1) {
    return fail(Code::unavailable,
                "the topology has " + std::to_string(topology.hosts.size()) +
                    " hosts, and nothing says that they can be started on",
                "name them with --hosts, use --dry-run, or: topolaunch map");
  }
  topo::Host& host = topology.hosts.front();
  host.name = own_host;
  const CpuSet here = own_cpus();
  if (!here.empty()) {
    host.allowed_cpus = host.cpus.empty() ? here : host.allowed_cpus & here;
    // The file describes CPUs that this process has not: bind to what there is.
    if (host.allowed_cpus.empty()) host.allowed_cpus = here;
  }
  return {};
}

std::string why_no_gpu(const topo::Topology& topology) {
  for (const topo::SurveyEntry& entry : topology.survey) {
    if (entry.source != "nvml") continue;
    if (entry.status == topo::SurveyEntry::Status::unavailable) {
      // The reason alone: what to do about it stands in `topo` and `doctor`.
      std::string why = entry.why.substr(0, entry.why.find("; "));
      constexpr std::string_view absent = ": cannot open shared object file: No such file or directory";
      if (why.ends_with(absent)) why = why.substr(0, why.size() - absent.size()) + " is not there";
      return "could not look for GPUs: " + why;
    }
    return entry.status == topo::SurveyEntry::Status::ok ? "CUDA_VISIBLE_DEVICES hides all GPUs"
                                                         : "no GPU seen";
  }
  return "no GPU in the topology";
}

}  // namespace topolaunch::launcher
