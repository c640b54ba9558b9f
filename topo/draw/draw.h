// SPDX-License-Identifier: Apache-2.0
//
// A topology as a picture: one host in detail, several as a cluster.
//
//   const std::string file = draw::svg_file(draw::drawing_of(topology, nullptr));
#pragma once

#include "topo/draw/drawing.h"
#include "topo/draw/ranks.h"
#include "topo/topology.h"

namespace topolaunch::topo::draw {

/// `ranks` may be null.
Drawing drawing_of(const Topology& topology, const Ranks* ranks);

}  // namespace topolaunch::topo::draw
