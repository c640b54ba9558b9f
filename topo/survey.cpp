// SPDX-License-Identifier: Apache-2.0
#include "topo/survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "topo/source/hwloc.h"
#include "topo/source/nvml.h"
#include "topo/source/reachable.h"
#include "topo/source/sysfs.h"
#include "topo/source/this_machine.h"

namespace topolaunch::topo {
namespace {

/// "8 GPUs, 144 links, 2 NUMA nodes": what one source said, short.
std::string summary(const std::vector<Fact>& facts) {
  int cpus = 0, numa = 0, gpus = 0, mig = 0, links = 0, nics = 0, switches = 0;
  for (const Fact& fact : facts) {
    if (const auto* host = std::get_if<HostFact>(&fact.what)) cpus += host->cpus.size();
    if (std::holds_alternative<NumaFact>(fact.what)) ++numa;
    if (const auto* gpu = std::get_if<GpuFact>(&fact.what)) {
      ++gpus;
      mig += static_cast<int>(gpu->mig.size());
    }
    if (const auto* link = std::get_if<GpuLinkFact>(&fact.what)) links += link->count;
    if (std::holds_alternative<NicFact>(fact.what)) ++nics;
    if (std::holds_alternative<SwitchFact>(fact.what)) ++switches;
  }
  std::string out;
  const auto add = [&out](int count, const char* one, const char* many) {
    if (count == 0) return;
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, count == 1 ? one : many);
  };
  add(cpus, "CPU", "CPUs");
  add(numa, "NUMA node", "NUMA nodes");
  add(gpus, "GPU", "GPUs");
  add(mig, "MIG instance", "MIG instances");
  add(links, "GPU link end", "GPU link ends");
  add(nics, "NIC", "NICs");
  add(switches, "switch", "switches");
  return out;
}

}  // namespace

Result<Survey> discover(const Sources& sources, const Outside& outside) {
  Survey survey;
  for (const auto& source : sources) {
    SurveyEntry entry;
    entry.source = source->name();
    entry.host = source->host();
    auto facts = source->look(outside);
    if (!facts && facts.error().code == Code::invalid_input) {
      return fail(std::move(facts).error().within(source->name()));
    }
    if (!facts) {
      entry.status = SurveyEntry::Status::unavailable;
      entry.why = facts.error().text();
    } else {
      entry.why = summary(*facts);
      entry.status = entry.why.empty() ? SurveyEntry::Status::nothing : SurveyEntry::Status::ok;
      if (entry.host.empty() && !facts->empty()) entry.host = facts->front().host;
      std::ranges::move(*facts, std::back_inserter(survey.facts));
    }
    if (source->live() && topology_choice(outside.environment).this_machine) {
      survey.live = true;
    }
    survey.entries.push_back(std::move(entry));
  }
  leave_out_unreachable_gpus(survey);
  return survey;
}

Sources live_sources(const std::string& host) {
  Sources sources;
  sources.push_back(std::make_unique<HwlocSource>(host));
  sources.push_back(std::make_unique<NvmlSource>(host));
  sources.push_back(std::make_unique<SysfsSource>(host));
  return sources;
}

}  // namespace topolaunch::topo
