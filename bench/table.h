// SPDX-License-Identifier: Apache-2.0
//
// A measurement as text, in nccl-tests' columns (2.19), so that what reads those logs reads these:
//
//   #       size         count      type   redop    root     time   algbw   busbw  #wrong     time ...
//        1048576        262144     float     sum      -1    39.08   26.83   50.31       0    39.21
//
// `time` is topobench's median (us) where nccl-tests prints a mean; algbw and busbw are in GB/s,
// powers of ten. Where the library was asked for its own estimate it stands in one more column (us).
// Lines that aren't rows begin with '#'.
#pragma once

#include <string>

#include "bench/measurement.h"

namespace topolaunch::bench {

std::string table_header(const Measurement& measurement);  ///< devices, configuration, column heads
std::string table_row(const SizeResult& result);
/// Groups of one axis, as lines that begin with '#': per size the fastest and the slowest group.
std::string table_of_groups(const std::vector<GroupResult>& groups);
/// What pairs of ranks reached, as lines that begin with '#': the middle and the worst of each kind.
std::string table_of_pairs(const Measurement& measurement);
std::string table_footer(const Measurement& measurement);  ///< wrong elements, average bandwidth
std::string to_table(const Measurement& measurement);      ///< all three

}  // namespace topolaunch::bench
