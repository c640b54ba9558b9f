// SPDX-License-Identifier: Apache-2.0
//
// k of n hosts: the compact set, which crosses few blocks of the fabric and leaves little fragmentation.
#pragma once

#include <vector>

#include "mapping/levels.h"

namespace topolaunch::mapping {

/// Hosts that hold `ranks`, block by block. A block that holds all is taken if there is one, the
/// smallest such; else the largest blocks first and the smallest that holds the rest. `capacity` by host.
/// Hosts with `pinned` ranks (by host; empty = none) are taken in any case and filled first, then what is
/// beside them.
std::vector<int> compact_hosts(const Levels& levels, const std::vector<int>& capacity, int ranks,
                               const std::vector<int>& pinned = {});

/// Several such sets: one for each of the tightest blocks of every level, innermost level first, the least
/// left over first, at most `most`; where it takes several blocks, the fewest that leave least over. The first is compact_hosts'.
std::vector<HostCandidate> host_candidates(const Levels& levels, const std::vector<int>& capacity, int ranks, int most,
                                           const std::vector<int>& pinned = {});
/// Fills blocks and left_over from hosts.
void measure_fragments(const Levels& levels, const std::vector<int>& capacity, int ranks, HostCandidate& candidate);

}  // namespace topolaunch::mapping
