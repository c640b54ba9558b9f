// SPDX-License-Identifier: Apache-2.0
//
// Last acceptance on (T, J): swaps of hosts and of ranks, each tried on the whole model. A fixed number
// of trials by effort, so that the same request has the same answer.
#pragma once

#include "mapping/problem.h"
#include "mapping/solver/solvers.h"

namespace topolaunch::mapping {

/// Improves `best`; says whether it did.
bool polish(const Problem& problem, Incumbent& best);

}  // namespace topolaunch::mapping
