// SPDX-License-Identifier: Apache-2.0
#include "topo/draw/draw.h"

#include "topo/draw/cluster_sheet.h"
#include "topo/draw/host_sheet.h"

namespace topolaunch::topo::draw {

Drawing drawing_of(const Topology& topology, const Ranks* ranks) {
  if (topology.hosts.size() == 1) return host_sheet(topology.hosts.front(), ranks);
  return cluster_sheet(topology, ranks);
}

}  // namespace topolaunch::topo::draw
