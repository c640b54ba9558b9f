// SPDX-License-Identifier: Apache-2.0
//
// Slurm's topology.yaml (25.05 and later): several topologies in one file, of which one is read,
// the cluster's default where none is named.
//
//   - topology: gpu-tree
//     cluster_default: true
//     tree: {switches: [{switch: leaf1, nodes: "g[001-004]"}, {switch: core, children:
//     "leaf[1-2]"}]}
//
// Also block, ring, torus3d (nodes, or regions with anchors) and flat, which says nothing of
// places.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topo/fact.h"

namespace topolaunch::topo {

bool looks_like_topology_yaml(std::string_view text);

/// `name`: which topology; empty = the default. invalid_input with the line; it lists the names if
/// there is none of that name.
Result<std::vector<Fact>> facts_from_topology_yaml(std::string_view text, const std::string& file,
                                                   const std::string& name);

}  // namespace topolaunch::topo
