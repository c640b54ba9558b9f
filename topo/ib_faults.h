// SPDX-License-Identifier: Apache-2.0
//
// What is odd about an InfiniBand subnet: a trunk with fewer links than its neighbours', a link
// that runs narrower or slower than they do, hosts without a name, a dump that is cut off. Each
// finding once, with the line; many of a kind are counted.
#pragma once

#include <string>
#include <vector>

#include "topo/ib_layers.h"
#include "topo/topology.h"

namespace topolaunch::topo {

/// `torn`: hosts whose ports end in several leaves.
std::vector<Warning> ib_faults(const IbGraph& graph, const IbLayers& layers,
                               const std::vector<const IbHost*>& torn, const std::string& file);

}  // namespace topolaunch::topo
