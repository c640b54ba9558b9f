// SPDX-License-Identifier: Apache-2.0
//
// Which NICs a rank uses: those nearest to its GPU, dealt out among GPUs of equal choice.
#pragma once

#include <vector>

#include "mapping/solution.h"
#include "topo/topology.h"

namespace topolaunch::mapping {

/// Nearest NICs of every GPU of the host, by index in Host::nics, dealt out evenly: up; RDMA ones
/// where there are any; PCI relation, then NUMA node; NICs of unknown place last. Eight GPUs and
/// eight NICs: one each, wherever GPUs have the same choice.
std::vector<std::vector<int>> nics_of_gpus(const topo::Host& host);

/// Fills Affinity::nics of every seat of the host. Ranks without a GPU get the NICs of their NUMA node,
/// else all.
void choose_nics(const topo::Host& host, const std::vector<Seat>& seats, std::vector<Affinity>& result);

}  // namespace topolaunch::mapping
