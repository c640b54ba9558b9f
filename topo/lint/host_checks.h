// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with a topology by itself, beyond what assemble() has seen while it merged: PCIe
// links below their device, NICs that some GPUs can only reach through the other socket, uneven
// NICs, ragged fabrics.
#pragma once

#include <vector>

#include "topo/topology.h"

namespace topolaunch::topo {

std::vector<Warning> check_topology(const Topology& topology);

}  // namespace topolaunch::topo
