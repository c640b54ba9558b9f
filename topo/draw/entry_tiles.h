// SPDX-License-Identifier: Apache-2.0
//
// The boxes of a cluster's drawing: one host with its ranks as cells, a pile of hosts that are
// alike, a switch or a pile of them.
#pragma once

#include "topo/draw/drawing.h"
#include "topo/draw/fabric_tree.h"
#include "topo/draw/ranks.h"
#include "topo/fabric_view.h"
#include "topo/topology.h"

namespace topolaunch::topo::draw {

struct TileContext {
  const Topology& topology;
  const FabricView& view;
  const RankIndex* ranks;  ///< null: no plan
  std::size_t cells_per_row = 8;
};

Drawing host_tile(const TileContext& context, const HostEntry& entry);
/// Its width is at most `width`.
Drawing switch_tile(const TileContext& context, const SwitchEntry& entry, double width);

}  // namespace topolaunch::topo::draw
