// SPDX-License-Identifier: Apache-2.0
//
// Where a matrix says how far each host is from each, no nesting of blocks holds what there is to
// know: the quadratic assignment problem itself, by swaps towards partners and, of a few hundred
// seats, by tabu search.
#pragma once

#include "mapping/problem.h"
#include "mapping/solver/solvers.h"

namespace topolaunch::mapping {

/// Improves `best`; says whether it did. Does nothing without a matrix, and where ranks are pinned.
bool assign(const Problem& problem, Incumbent& best);

}  // namespace topolaunch::mapping
