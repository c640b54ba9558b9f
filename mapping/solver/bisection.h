// SPDX-License-Identifier: Apache-2.0
//
// Multilevel bisection with exact sizes: heavy-edge coarsening, greedy growth from several seeds, and
// Fiduccia-Mattheyses refinement on the way back; the finest level ends with exactly the size asked for.
#pragma once

#include <vector>

#include "mapping/random.h"
#include "mapping/solver/comm_graph.h"

namespace topolaunch::mapping {

/// Side 0 or 1 of every vertex; exactly `size0` vertices are on side 0. `tries` whole runs, the smallest
/// cut wins.
std::vector<char> bisect(const CommGraph& graph, int size0, int tries, Random& random);

}  // namespace topolaunch::mapping
