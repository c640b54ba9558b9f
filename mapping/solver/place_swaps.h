// SPDX-License-Identifier: Apache-2.0
//
// Placements by the true distance of each pair: blocks and ranks change places, downhill and by
// annealing.
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/problem.h"
#include "mapping/solver/comm_graph.h"

namespace topolaunch::mapping {

/// Pairs of partners, or of places, that a search may look at.
std::int64_t assignment_work(Constraints::Effort effort);

/// From rank r on places[r] (what is behind the ranks is free) to seats by rank of less J, or the
/// same. The same for the same seed and effort.
std::vector<Seat> swapped_around(const Problem& problem, const CommGraph& graph,
                                 std::vector<Seat> places);

}  // namespace topolaunch::mapping
