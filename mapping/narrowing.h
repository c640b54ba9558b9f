// SPDX-License-Identifier: Apache-2.0
//
// Narrowing: constraints about levels and hosts, as fewer ranks that a host takes.
#pragma once

#include <vector>

#include "mapping/seats.h"

namespace topolaunch::mapping {

/// Cuts pool.capacity by @HOST rules, --require, --near, --prefer, --spares and --spread, in this
/// order; fills notes, unmet and spares. `pinned`: hosts of pinned ranks. infeasible in numbers.
Status narrow(const topo::Topology& topology, const Constraints& constraints,
              const std::vector<int>& pinned, const NarrowingChoice& choice, SeatPool& pool);

}  // namespace topolaunch::mapping
