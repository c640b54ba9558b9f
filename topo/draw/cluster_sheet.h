// SPDX-License-Identifier: Apache-2.0
//
// The drawing of several hosts: spines above leaves above hosts, with the rates between them; with
// ranks, a cell a rank in the colour and pattern of its group. What is too much to draw is
// collapsed (fabric_tree.h) and counted.
#pragma once

#include "topo/draw/drawing.h"
#include "topo/draw/ranks.h"
#include "topo/topology.h"

namespace topolaunch::topo::draw {

/// `ranks` may be null.
Drawing cluster_sheet(const Topology& topology, const Ranks* ranks);

}  // namespace topolaunch::topo::draw
