// SPDX-License-Identifier: Apache-2.0
//
// How many ranks a machine takes: one a GPU, one an instance of a GPU in MIG mode. The one count
// that the number of ranks, the seats and --oversubscribe are taken from.
#pragma once

#include <vector>

#include "mapping/solution.h"
#include "topo/topology.h"

namespace topolaunch::mapping {

/// Ranks that a GPU takes: its MIG instances; 0 in MIG mode without one, where CUDA can't use it.
int seats_of(const topo::Gpu& gpu);

/// Number of ranks that `host` takes when the user does not say: the slots that a source states,
/// else one a GPU or MIG instance, else the CPUs it may use, else 1.
int default_slots(const topo::Host& host);

/// Seats on the GPUs of a host that may be used, by GPU index, in PCI order; instances of one GPU
/// stand together.
std::vector<int> gpu_seats(const topo::Topology& topology, const Constraints& constraints,
                           int host);

/// Seats by host where nothing is said about slots; 0 for excluded hosts.
std::vector<int> free_seats(const topo::Topology& topology, const Constraints& constraints);

/// Slots by host that make exactly `ranks` seats of `free`: full rounds over all hosts, then the
/// first ones once more. Empty if there are enough as it is.
std::vector<int> shared_slots(const std::vector<int>& free, int ranks);

}  // namespace topolaunch::mapping
