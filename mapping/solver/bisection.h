// SPDX-License-Identifier: Apache-2.0
//
// Multilevel bisection with exact sizes: heavy-edge coarsening, greedy growth from several seeds, and
// Fiduccia-Mattheyses refinement on the way back; the finest level ends inside the range asked for.
#pragma once

#include <vector>

#include "mapping/random.h"
#include "mapping/solver/comm_graph.h"
#include "mapping/solver/fm_refiner.h"

namespace topolaunch::mapping {

struct BisectionEffort {
  int runs = 1;    ///< whole ones; the smallest cut wins
  int cycles = 0;  ///< times that the winner is coarsened along its sides and refined again
};

/// Side 0 or 1 of every vertex; the number of vertices on side 0 is in `size0`, one number or a range.
std::vector<char> bisect(const CommGraph& graph, SizeRange size0, BisectionEffort effort, Random& random);

}  // namespace topolaunch::mapping
