// SPDX-License-Identifier: Apache-2.0
//
// Pins: ranks on the hosts and GPUs that --pin names, with as little as possible of a placement
// changed.
#pragma once

#include <vector>

#include "mapping/levels.h"
#include "mapping/seats.h"
#include "mapping/solution.h"
#include "topo/topology.h"

namespace topolaunch::mapping {

/// Moves pinned ranks to their pins by swapping (the seat's holder takes the place left).
void apply_pins(const topo::Topology& topology, const SeatPool& pool,
                const Constraints& constraints, std::vector<Seat>& seats);

/// The same with what belongs together: the block that holds a pinned rank changes places with the
/// like block that its pin is in, outermost level first, so that its neighbours come along. Blocks
/// that hold another pinned rank already stay; what blocks cannot do, apply_pins does.
void move_blocks_to_pins(const topo::Topology& topology, const Levels& levels, const SeatPool& pool,
                         const Constraints& constraints, std::vector<Seat>& seats);

/// Pinned ranks by host.
std::vector<int> pinned_by_host(const topo::Topology& topology, const Constraints& constraints);

}  // namespace topolaunch::mapping
