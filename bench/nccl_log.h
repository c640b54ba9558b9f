// SPDX-License-Identifier: Apache-2.0
//
// What nccl-tests print (2.0 to 2.19), read back: one text may hold several runs, one that broke
// off, the lines of several programs mixed, where a job was started as worlds of one rank, and
// messages of NCCL's own in the midst of a row.
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
  std::vector<int> unread;              ///< lines of rows that can't be read
};

/// Whether `text` looks like one.
bool is_nccl_log(std::string_view text);

/// How many sizes the run was to measure; 0 where it doesn't say.
int sizes_asked_for(const Configuration& configuration);

/// All runs, in the order in which they begin. invalid_input if there is none, or none of the rows
/// of one can be read.
Result<std::vector<NcclRun>> nccl_runs(std::string_view text, const std::string& file);

}  // namespace topolaunch::bench
