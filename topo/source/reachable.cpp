// SPDX-License-Identifier: Apache-2.0
#include "topo/source/reachable.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "topo/source/pci_class.h"

namespace topolaunch::topo {
namespace {

bool is_live(const Origin& origin) { return origin.source == "hwloc" || origin.source == "sysfs"; }

}  // namespace

void leave_out_unreachable_gpus(Survey& survey) {
  std::set<std::string> answered;
  for (const SurveyEntry& entry : survey.entries) {
    if (entry.source == "nvml" && entry.status != SurveyEntry::Status::unavailable) {
      answered.insert(entry.host);
    }
  }
  std::set<std::pair<std::string, PciAddress>> known, gone;
  for (const Fact& fact : survey.facts) {
    const auto* gpu = std::get_if<GpuFact>(&fact.what);
    if (gpu != nullptr && fact.origin.source == "nvml" && gpu->pci) known.emplace(fact.host, *gpu->pci);
  }
  std::vector<Fact> warnings;
  const auto unreachable = [&](const Fact& fact) {
    if (!is_live(fact.origin) || !answered.contains(fact.host)) return false;
    if (const auto* link = std::get_if<GpuLinkFact>(&fact.what)) {
      return link->from.pci && gone.contains({fact.host, *link->from.pci});
    }
    const auto* gpu = std::get_if<GpuFact>(&fact.what);
    if (gpu == nullptr || !gpu->pci || gpu->pci_vendor != kVendorNvidia) return false;
    if (known.contains({fact.host, *gpu->pci})) return false;
    if (gone.emplace(fact.host, *gpu->pci).second) {
      warnings.push_back(
          {fact.origin, fact.host,
           WarningFact{{"gpu-unreachable", Warning::Severity::warning, {}, 0,
                        fmt::format("{}: the GPU at {} is on the PCI bus, but NVML gives no access to "
                                    "it: left out",
                                    fact.host, gpu->pci->text())}}});
    }
    return true;
  };
  // GPUs first, so that their links are known to be gone.
  const auto take_out = [&](bool links) {
    std::erase_if(survey.facts, [&](const Fact& fact) {
      return std::holds_alternative<GpuLinkFact>(fact.what) == links && unreachable(fact);
    });
  };
  take_out(false);
  take_out(true);
  std::ranges::move(warnings, std::back_inserter(survey.facts));
}

}  // namespace topolaunch::topo
