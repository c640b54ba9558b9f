// SPDX-License-Identifier: Apache-2.0
//
// A topology in Graphviz' DOT language: one host with NUMA nodes and PCIe switches as clusters and
// its NVLinks as edges; several hosts as a tree of switches, collapsed as in the drawings. For
// those who want to lay it out themselves: dot -Tpdf.
#pragma once

#include <string>

#include "topo/draw/ranks.h"
#include "topo/topology.h"

namespace topolaunch::topo {

/// `ranks` may be null.
std::string to_dot(const Topology& topology, const draw::Ranks* ranks);

}  // namespace topolaunch::topo
