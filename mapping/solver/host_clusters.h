// SPDX-License-Identifier: Apache-2.0
//
// A nesting of hosts out of a matrix of their distances, for searches that go from large blocks to
// small ones: halved again and again, near ones together.
#pragma once

#include "mapping/levels.h"
#include "topo/topology.h"

namespace topolaunch::mapping {

/// "host", then halves of halves up to two blocks, innermost first. Needs Fabric::host_distances.
Levels clusters_by_distance(const topo::Topology& topology);

}  // namespace topolaunch::mapping
