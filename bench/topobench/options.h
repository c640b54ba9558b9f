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
#include "bench/topobench/groups.h"
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
  std::vector<GroupAxis> groups;    ///< empty = none
  std::optional<PairOptions> pairs;
  bool quiet = false;               ///< no table
};

/// `topobench __parse OPTION...` says what is wrong with its options (64), or that this build can't
/// do it (69), and does no more. With --expect-ranks it holds them against that many ranks, the
/// first of which has its environment.
inline constexpr const char* kParseWord = "__parse";

/// What to do: run, or print `text` and exit with 0 (--help, --version).
struct CommandLine {
  Options options;
  std::optional<std::string> text;
};

/// wrong_usage names the word at fault and, for an unknown option, the nearest one there is.
Result<CommandLine> parse_options(const std::vector<std::string>& arguments);

}  // namespace topolaunch::bench
