// SPDX-License-Identifier: Apache-2.0
//
// Values of topobench's options that are words of their own (sizes, times, names), read into what
// they mean.
#pragma once

#include <optional>
#include <string>

#include "bench/topobench/options.h"

namespace topolaunch::bench {

/// As they are given, or their defaults.
struct OptionWords {
  std::string minimum = "8", maximum = "32M", type = "float", operation = "sum";
  std::string deadline = "60s", size_time = "0", collective = "allreduce", pairs;
  std::optional<std::string> step, groups, pair_size;
  bool with_pairs = false, pairs_per_host = false;
};

/// wrong_usage names the option at fault, one that would do nothing among them.
Status read_words(const OptionWords& words, Options& options);

}  // namespace topolaunch::bench
