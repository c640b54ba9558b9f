// SPDX-License-Identifier: Apache-2.0
//
// Recursive multisection: vertices onto the places of a tree, outermost blocks first, every block
// exactly full.
#pragma once

#include <vector>

#include "mapping/random.h"
#include "mapping/solver/place_tree.h"
#include "mapping/watch.h"

namespace topolaunch::mapping {

/// Place by vertex; graph.n == tree.places. `tries` runs for each split. Once `watch` stops it, what is left
/// is placed in the order of vertices.
std::vector<int> multisect(const CommGraph& graph, const PlaceTree& tree, int tries, Random& random,
                           const Watch* watch = nullptr);

}  // namespace topolaunch::mapping
