// SPDX-License-Identifier: Apache-2.0
//
// From the PCI part of hwloc's topology to facts about GPUs, NICs and NVLinks. The several devices
// that the operating system shows for one card (cuda0, nvml0, opencl0d0, card1, renderD128) are one
// GPU: the PCI device.
#pragma once

#include <cstdint>
#include <map>
#include <variant>
#include <vector>

#include "topo/fact.h"
#include "topo/source/hwloc_topology.h"

namespace topolaunch::topo {

using DeviceFact = std::variant<GpuFact, GpuLinkFact, NicFact>;

/// `domains`: PCI domains that prepare_hwloc_xml renamed. `nodes`: for which NUMA nodes have CPUs.
std::vector<DeviceFact> device_facts(hwloc_topology_t topology, const std::vector<NumaNode>& nodes,
                                     const std::map<std::uint32_t, std::uint32_t>& domains);

}  // namespace topolaunch::topo
