// SPDX-License-Identifier: Apache-2.0
//
// The switches that sources name -> Fabric: a forest, leaves at level 0, every parent above its
// children. What isn't one (a switch below itself, a host on two leaves) is cut and said.
#pragma once

#include <string>
#include <vector>

#include "topo/fact.h"

namespace topolaunch::topo {

/// `hosts` in the order of Topology::hosts. Hosts that only the switches name don't count here.
Fabric merge_fabric(const std::vector<const Fact*>& facts, const std::vector<std::string>& hosts,
                    std::vector<Warning>& warnings);

}  // namespace topolaunch::topo
