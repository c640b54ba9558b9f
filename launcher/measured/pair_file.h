// SPDX-License-Identifier: Apache-2.0
//
// Tables of what pairs of hosts reached, by whatever tool, as figures for bench/culprit.h:
//   - summaries of nccl-tests runs: columns nodes (a host list of two) and peak_busbw_GBs, with
//     test, N and G where there; a row without a figure is a run that failed;
//   - long tables: src, dst, and bytes_per_second, or latency_us;
//   - matrices: the first row names hosts, its first cell the unit (GB/s, Gb/s, MB/s, us, ms).
// Cells stand between commas or semicolons (decimal commas then), quoted or not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bench/culprit.h"

namespace topolaunch::launcher {

struct PairFile {
  std::vector<bench::PairFigure> figures;
  std::vector<std::string> hosts;  ///< all that are named, those without any figure as well
};

/// Whether its first row is that of one of these, so that what can't be read of it is damaged.
bool is_pair_table(std::string_view text);

/// invalid_input with the line for what can't be read.
Result<PairFile> pair_figures(std::string_view text, const std::string& file);

}  // namespace topolaunch::launcher
