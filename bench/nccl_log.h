// SPDX-License-Identifier: Apache-2.0
//
// What nccl-tests print (2.0 to 2.19), read back: one text may hold several runs, one that broke
// off, and the lines of several programs mixed, where a job was started as worlds of one rank.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bench/measurement.h"

namespace topolaunch::bench {

struct NcclRun {
  Measurement measurement;              ///< as far as it went; ranks = device lines
  int line = 0;                         ///< of its first line
  bool ended = false;                   ///< it printed its average
  bool said_failed = false;             ///< "Out of bounds values : N FAILED"
  double said_average = 0;              ///< GB/s, its own figure
  int worlds = 1;                       ///< so many ranks call themselves rank 0
  std::vector<std::string> complaints;  ///< lines of errors
};

/// Whether `text` looks like one.
bool is_nccl_log(std::string_view text);

/// All runs, in the order in which they begin. invalid_input if there is none, or a row of figures
/// can't be read.
Result<std::vector<NcclRun>> nccl_runs(std::string_view text, const std::string& file);

}  // namespace topolaunch::bench
