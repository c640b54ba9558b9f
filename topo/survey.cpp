// SPDX-License-Identifier: Apache-2.0
#include "topo/survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "topo/source/hwloc.h"
#include "topo/source/nvml.h"
#include "topo/source/reachable.h"
#include "topo/source/sysfs.h"
#include "topo/source/this_machine.h"

namespace topolaunch::topo {
namespace {

/// By what a source names a GPU at both ends of a link: its address, else its number.
std::string key_of(const std::string& host, const GpuRef& gpu) {
  return host + ' ' + (gpu.pci     ? gpu.pci->text()
                       : gpu.index ? std::to_string(*gpu.index)
                                   : gpu.uuid);
}

/// Links as one counts them on the machine: between two GPUs once, though both tell of it; those
/// into switches at the GPU. Of a matrix of equal paths from each to each, which is how nvidia-smi
/// shows NVSwitches, the links of each GPU.
int count_links(const std::vector<Fact>& facts) {
  constexpr int kMostOfAGpu = 18;  // NVLink 4 and 5: H100 to GB200, data sheets
  int into_switches = 0;
  std::map<std::pair<std::string, std::string>, int> between;
  for (const Fact& fact : facts) {
    const auto* link = std::get_if<GpuLinkFact>(&fact.what);
    if (link == nullptr) continue;
    if (link->to != GpuLink::To::gpu) {
      into_switches += link->count;
      continue;
    }
    std::string from = key_of(fact.host, link->from), to = key_of(fact.host, link->peer);
    if (to < from) std::swap(from, to);
    int& count = between[{std::move(from), std::move(to)}];
    count = std::max(count, link->count);
  }
  struct OfGpu {
    int sum = 0, most = 0;
  };
  std::map<std::string, OfGpu> by_gpu;
  int all = 0;
  for (const auto& [pair, count] : between) {
    all += count;
    for (const std::string& gpu : {pair.first, pair.second}) {
      by_gpu[gpu].sum += count;
      by_gpu[gpu].most = std::max(by_gpu[gpu].most, count);
    }
  }
  const bool switched = std::ranges::any_of(by_gpu, [](const auto& gpu) {
    return gpu.second.sum > kMostOfAGpu && gpu.second.sum > gpu.second.most;
  });
  if (switched) {
    all = 0;
    for (const auto& [gpu, links] : by_gpu) all += links.most;
  }
  return all + into_switches;
}

/// What of one host several outputs in one text may name, each by its own: a matrix by number, a
/// list by UUID, too.
struct Named {
  CpuSet cpus;
  std::set<int> numa, gpu_numbers;
  std::set<std::string> gpu_uuids;
  std::set<PciAddress> gpu_addresses;
  int nameless = 0;

  void add(const GpuFact& gpu) {
    if (gpu.index) gpu_numbers.insert(*gpu.index);
    if (!gpu.uuid.empty()) gpu_uuids.insert(gpu.uuid);
    if (gpu.pci) gpu_addresses.insert(*gpu.pci);
    if (!gpu.index && gpu.uuid.empty() && !gpu.pci) ++nameless;
  }
  int gpus() const {
    return nameless +
           static_cast<int>(std::max({gpu_numbers.size(), gpu_uuids.size(), gpu_addresses.size()}));
  }
};

/// "8 GPUs, 144 links, 2 NUMA nodes": what one source said, short. That it names the host `of` that it
/// looked at is nothing.
std::string summary(const std::vector<Fact>& facts, const std::string& of) {
  int cpus = 0, numa = 0, gpus = 0, mig = 0, nics = 0, switches = 0, pairs = 0;
  std::set<std::string> hosts;
  std::map<std::string, Named> named;
  for (const Fact& fact : facts) {
    if (!fact.host.empty() && fact.host != of) hosts.insert(fact.host);
    if (const auto* host = std::get_if<HostFact>(&fact.what)) {
      named[fact.host].cpus = named[fact.host].cpus | host->cpus;
    }
    if (const auto* node = std::get_if<NumaFact>(&fact.what)) {
      named[fact.host].numa.insert(node->node.id);
    }
    if (const auto* gpu = std::get_if<GpuFact>(&fact.what)) {
      named[fact.host].add(*gpu);
      mig += static_cast<int>(gpu->mig.size());
    }
    if (std::holds_alternative<PairFact>(fact.what)) ++pairs;
    if (std::holds_alternative<NicFact>(fact.what)) ++nics;
    if (const auto* box = std::get_if<SwitchFact>(&fact.what)) {
      ++switches;
      hosts.insert(box->hosts.begin(), box->hosts.end());
    }
  }
  for (const auto& [host, of_host] : named) {
    cpus += of_host.cpus.size();
    numa += static_cast<int>(of_host.numa.size());
    gpus += of_host.gpus();
  }
  std::string out;
  const auto add = [&out](int count, const char* one, const char* many) {
    if (count == 0) return;
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, count == 1 ? one : many);
  };
  if (hosts.size() > 1) add(static_cast<int>(hosts.size()), "host", "hosts");
  add(cpus, "CPU", "CPUs");
  add(numa, "NUMA node", "NUMA nodes");
  add(gpus, "GPU", "GPUs");
  add(mig, "MIG instance", "MIG instances");
  add(count_links(facts), "GPU link", "GPU links");
  add(nics, "NIC", "NICs");
  add(switches, "switch", "switches");
  add(pairs, "measured pair", "measured pairs");
  if (out.empty() && hosts.size() == 1) out = "1 host";
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
      entry.why = summary(*facts, entry.host);
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
