// SPDX-License-Identifier: Apache-2.0
//
// topobench's command line, parsed once: nccl-tests' letters where the thing is the same.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "bench/sweep.h"
#include "bench/topobench/pair_trial.h"
#include "bench/topobench/trial.h"

namespace topolaunch::bench {

struct Options {
  Sweep sweep;
  TrialOptions trial;               ///< sizes are filled in from the sweep
  std::string subject = "auto";     ///< auto, nccl, mpi, ring, reference
  std::string json_file;  ///< empty = none; "-" = standard output, the table then on stderr
  std::optional<int> expect_ranks;
  Seconds deadline{60};             ///< per step; 0 = none
  bool graph = false;               ///< NCCL through CUDA graphs
  std::string groups;               ///< axes, as groups.h reads them; empty = none
  std::optional<PairOptions> pairs;
  bool quiet = false;               ///< no table
};

/// `topobench __parse OPTION...` parses, says what is wrong (64) and does no more.
inline constexpr const char* kParseWord = "__parse";

/// What to do: run, or print `text` and exit with 0 (--help, --version).
struct CommandLine {
  Options options;
  std::optional<std::string> text;
};

/// wrong_usage names the word at fault and, for an unknown option, the nearest one there is.
Result<CommandLine> parse_options(const std::vector<std::string>& arguments);

}  // namespace topolaunch::bench
