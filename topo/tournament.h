// SPDX-License-Identifier: Apache-2.0
//
// tournament(): who measures with whom at the same time, so that every host meets every other once
// and all of them are busy in each round.
//
// Why at once, and both ways: where an uplink is as fast as one host's link, a pair by itself never
// feels it; two pairs that cross it do, and if each exchanges in both directions, whichever way
// round they are. With leaves of odd size some pair may have its uplink alone in a round: another
// seed puts others beside it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace topolaunch::topo {

/// Pairs of hosts by number.
using Round = std::vector<std::pair<int, int>>;

/// hosts - 1 rounds (hosts, if odd: then one of them waits in each). The same for the same
/// arguments.
std::vector<Round> tournament(int hosts, std::uint64_t seed);

}  // namespace topolaunch::topo
