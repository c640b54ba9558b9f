// SPDX-License-Identifier: Apache-2.0
//
// What each rank puts into a collective and what has to come out of it. Every element's value
// depends on its rank, its place in the whole and the number of the run, so that a part in
// another's place, a rank counted twice and a stale result are all wrong elements.
#pragma once

#include <cstdint>

#include "bench/subject.h"

namespace topolaunch::bench {

/// Who this rank is among those that take part.
struct Seat {
  int rank = 0, ranks = 1;
};

/// Poisons what the work will write and writes its input on this rank.
Status fill_input(DevicePort& device, const kernels::Pattern& pattern, const Work& work, Seat seat);

/// Elements of this rank's result that aren't right; 0 on ranks that get nothing.
Result<std::int64_t> count_wrong(DevicePort& device, const kernels::Pattern& pattern,
                                 const Work& work, Seat seat);

}  // namespace topolaunch::bench
