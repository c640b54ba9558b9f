// SPDX-License-Identifier: Apache-2.0
//
// From hwloc's topology to facts about CPUs and memory.
#pragma once

#include <vector>

#include "topo/fact.h"
#include "topo/source/hwloc_topology.h"

namespace topolaunch::topo {

/// Architecture, CPU model, packages, CPUs that exist and those allowed by hwloc, cores.
HostFact host_fact(hwloc_topology_t topology, const std::vector<NumaNode>& nodes);

/// All NUMA nodes. hwloc gives a node without CPUs those of its neighbours; such a node is told from
/// the others and its set is empty here.
std::vector<NumaNode> numa_nodes(hwloc_topology_t topology);

/// Warnings for NUMA nodes that share some CPUs, but not all, with a package: firmware of virtual
/// machines does that. Such a node's package becomes unknown.
std::vector<Warning> crossing_nodes(hwloc_topology_t topology, std::vector<NumaNode>& nodes);

}  // namespace topolaunch::topo
