// SPDX-License-Identifier: Apache-2.0
//
// Short ways to write facts and to look for warnings, for the tests of this folder.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "topo/assemble.h"

namespace topolaunch::topo {

inline const Origin kNvml{"nvml", "", 0};
inline const Origin kHwloc{"hwloc", "", 0};
inline const Origin kNccl{"nccl-xml", "topo.xml", 12};

inline PciAddress pci(const std::string& text) { return *PciAddress::parse(text); }
inline CpuSet cpus(const std::string& list) { return *CpuSet::from_list(list); }

inline Fact fact(const Origin& origin, auto what, std::string host = "n1") {
  return {origin, std::move(host), std::move(what)};
}

inline NumaFact numa_node(int id, const std::string& list) {
  NumaFact numa;
  numa.node.id = id;
  numa.node.cpus = cpus(list);
  return numa;
}

inline GpuFact gpu_at(const std::string& address, std::optional<int> numa = {}) {
  GpuFact gpu;
  gpu.pci = pci(address);
  gpu.numa = numa;
  return gpu;
}

inline Topology assembled(std::vector<Fact> facts) {
  Survey survey;
  survey.facts = std::move(facts);
  return *assemble(std::move(survey));
}

inline long count_of(const std::vector<Warning>& warnings, const std::string& code) {
  return std::count_if(warnings.begin(), warnings.end(),
                       [&](const Warning& w) { return w.code == code; });
}
inline long count_of(const Topology& topology, const std::string& code) {
  return count_of(topology.warnings, code);
}
inline std::string message_of(const Topology& topology, const std::string& code) {
  for (const auto& warning : topology.warnings) {
    if (warning.code == code) return warning.message;
  }
  return {};
}

}  // namespace topolaunch::topo
