// SPDX-License-Identifier: Apache-2.0
#include "topo/source/reachable.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "topo/source/pci_class.h"

namespace topolaunch::topo {
namespace {

using Place = std::pair<std::string, PciAddress>;  ///< host, address

bool is_live(const Origin& origin) { return origin.source == "hwloc" || origin.source == "sysfs"; }

struct Bus {
  std::set<std::string> answered;       ///< hosts for which NVML answered
  std::map<Place, Origin> on_bus;       ///< NVIDIA's
  std::set<Place> of_nvml, with_driver;
};

Bus read_bus(const Survey& survey) {
  Bus bus;
  for (const SurveyEntry& entry : survey.entries) {
    if (entry.source == "nvml" && entry.status != SurveyEntry::Status::unavailable) {
      bus.answered.insert(entry.host);
    }
  }
  for (const Fact& fact : survey.facts) {
    if (const auto* gpu = std::get_if<GpuFact>(&fact.what); gpu != nullptr && gpu->pci) {
      if (fact.origin.source == "nvml") bus.of_nvml.emplace(fact.host, *gpu->pci);
      if (!is_live(fact.origin) || gpu->pci_vendor != kVendorNvidia) continue;
      bus.with_driver.emplace(fact.host, *gpu->pci);
      bus.on_bus.emplace(Place(fact.host, *gpu->pci), fact.origin);
    }
    if (const auto* pci = std::get_if<PciFact>(&fact.what);
        pci != nullptr && is_live(fact.origin) && pci->pci_vendor == kVendorNvidia) {
      bus.on_bus.emplace(Place(fact.host, pci->pci), fact.origin);
    }
  }
  return bus;
}

}  // namespace

void leave_out_unreachable_gpus(Survey& survey) {
  const Bus bus = read_bus(survey);
  std::set<Place> gone;
  for (const auto& [place, origin] : bus.on_bus) {
    const auto& [host, pci] = place;
    if (bus.answered.contains(host)) {
      if (bus.of_nvml.contains(place)) continue;
      gone.insert(place);
      survey.facts.push_back(
          {origin, host,
           WarningFact{{"gpu-unreachable", Warning::Severity::warning, {}, 0,
                        fmt::format("{}: the GPU at {} is on the PCI bus, but NVML gives no access "
                                    "to it: left out",
                                    host, pci.text())}}});
    } else if (!bus.with_driver.contains(place)) {
      survey.facts.push_back(
          {origin, host,
           WarningFact{{"gpu-without-driver", Warning::Severity::note, {}, 0,
                        fmt::format("{}: the NVIDIA device at {} is on the PCI bus, but no driver "
                                    "gives access to it: left out",
                                    host, pci.text())}}});
    }
  }
  std::erase_if(survey.facts, [&](const Fact& fact) {
    if (!is_live(fact.origin)) return false;
    const auto is_gone = [&](const std::optional<PciAddress>& pci) {
      return pci && gone.contains({fact.host, *pci});
    };
    if (const auto* gpu = std::get_if<GpuFact>(&fact.what)) return is_gone(gpu->pci);
    if (const auto* link = std::get_if<GpuLinkFact>(&fact.what)) {
      return is_gone(link->from.pci) || is_gone(link->peer.pci);
    }
    return false;
  });
}

}  // namespace topolaunch::topo
