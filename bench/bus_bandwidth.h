// SPDX-License-Identifier: Apache-2.0
//
// Algorithm and bus bandwidth, as nccl-tests defines them (its doc/PERFORMANCE.md, 2.19): busbw is
// algbw times a factor that makes the number comparable with a link's rate for any number of ranks.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/units.h"

namespace topolaunch::bench {

/// busbw / algbw of `collective` ("allreduce", "allgather", "reduce_scatter", "alltoall",
/// "broadcast", "reduce", "gather", "scatter", "sendrecv"; nccl-tests' "all_reduce" spellings too)
/// over `ranks` ranks. 0 for an unknown collective or no ranks.
double bus_factor(std::string_view collective, int ranks);

/// bytes / time in bytes per second; 0 where no time was measured.
double algorithm_bandwidth(std::int64_t bytes, Seconds time);

}  // namespace topolaunch::bench
