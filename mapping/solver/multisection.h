// SPDX-License-Identifier: Apache-2.0
//
// Recursive multisection: vertices onto the places of a tree, outermost blocks first, no block
// over its size.
#pragma once

#include <vector>

#include "mapping/random.h"
#include "mapping/solver/place_tree.h"
#include "mapping/watch.h"

namespace topolaunch::mapping {

/// Place of each of the first `count` vertices, no more than there are places; free places are left where the
/// splits have them. `tries` runs for each split. Once `watch` stops it, what is left is placed in the order of
/// vertices.
std::vector<int> multisect(const CommGraph& graph, int count, const PlaceTree& tree, int tries, Random& random,
                           const Watch* watch = nullptr);

}  // namespace topolaunch::mapping
