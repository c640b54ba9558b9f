// SPDX-License-Identifier: Apache-2.0
//
// An InfiniBand subnet -> hosts, leaves and the levels above them.
//
// A Fabric is a forest with one leaf a host; a subnet is a graph. What becomes of it:
//   leaf     a switch with hosts. Switches that serve the same hosts (rails, planes: most of their
//            hosts in common) are one leaf together. A few hosts on a switch that joins leaves
//            don't make it one.
//   above    switches by their distance from the leaves. Those of a level that reach the same
//   leaves
//            are one box together, and its uplink is the sum of the links that leave it upward.
//   host     goes to the leaf where most of its ports are.
#pragma once

#include <string>
#include <vector>

#include "topo/fact.h"
#include "topo/ib_graph.h"

namespace topolaunch::topo {

/// Facts with origin "ibnetdiscover FILE:LINE"; invalid_input if no switch has a host.
Result<std::vector<Fact>> ib_fabric_facts(const IbGraph& graph, const std::string& file);

}  // namespace topolaunch::topo
