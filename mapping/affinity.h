// SPDX-License-Identifier: Apache-2.0
//
// Affinity: CPUs, memory and NICs next to each seat of one host.
//
// CPUs: the nearest allowed ones by the GPU's NUMA node, else by the affinity mask that a source
// gave, else by the PCI position of a NUMA-known neighbour; shared out among the ranks of the same
// set by whole cores, NUMA-contiguous. Never empty while the host allows any CPU, never outside the
// allowed set. NUMA nodes without CPUs (GPU memory, CXL) are no place for CPUs; a GPU's own memory
// node is left out of the memory policy too: host allocations belong to the CPU's node.
// NICs: by PCI relation, then NUMA node; NICs that are up; equal choices are dealt out evenly.
#pragma once

#include <vector>

#include "mapping/solution.h"
#include "topo/topology.h"

namespace topolaunch::mapping {

/// One Affinity per entry of `seats`, all on `host` (Seat::host is not looked at).
std::vector<Affinity> host_affinity(const topo::Host& host, const std::vector<Seat>& seats);

/// Affinity of every rank of a placement, host by host.
std::vector<Affinity> affinity_of(const topo::Topology& topology, const std::vector<Seat>& seats);

}  // namespace topolaunch::mapping
