// SPDX-License-Identifier: Apache-2.0
//
// The drawing of one host: NUMA nodes with their PCIe switches, GPUs and NICs; the links between
// the GPUs; with ranks, who sits where.
#pragma once

#include "topo/draw/drawing.h"
#include "topo/draw/ranks.h"
#include "topo/topology.h"

namespace topolaunch::topo::draw {

/// `ranks` may be null.
Drawing host_sheet(const Host& host, const Ranks* ranks);

}  // namespace topolaunch::topo::draw
