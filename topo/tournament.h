// SPDX-License-Identifier: Apache-2.0
//
// tournament(): who measures with whom at the same time, so that every host meets every other once
// and all of them are busy in each round.
//
// Why at once: where an uplink is as fast as one host's link, a pair by itself never feels it; two
// pairs that share it do, if they go the same way. Which way that is nobody knows beforehand: over
// the patterns of one seed any two pairs of a round go both ways to each other. With leaves of odd
// size some pair may have its uplink alone: another seed shows those.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace topolaunch::topo {

/// (from, to): hosts by number.
using Round = std::vector<std::pair<int, int>>;

/// hosts - 1 rounds (hosts, if odd: then one of them waits in each). The same for the same
/// arguments. `pattern`: 0 ... tournament_patterns(hosts) - 1, the same pairs in other directions.
std::vector<Round> tournament(int hosts, std::uint64_t seed, int pattern = 0);
int tournament_patterns(int hosts);

}  // namespace topolaunch::topo
