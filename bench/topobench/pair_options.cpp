// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "bench/topobench/pair_trial.h"

namespace topolaunch::bench {

Result<PairOptions> pair_options(const std::string& words) {
  PairOptions options;
  if (words.empty() || words == "{}" || words == "all") return options;  // CLI11's "no value"
  options.one_way = options.both_ways = options.concurrent = options.latency = options.local =
      false;
  for (std::size_t at = 0; at <= words.size();) {
    const std::size_t comma = std::min(words.find(',', at), words.size());
    const std::string word = words.substr(at, comma - at);
    at = comma + 1;
    bool* const wanted = word == "one-way"      ? &options.one_way
                         : word == "both-ways"  ? &options.both_ways
                         : word == "concurrent" ? &options.concurrent
                         : word == "latency"    ? &options.latency
                         : word == "local"      ? &options.local
                                                : nullptr;
    if (wanted == nullptr) {
      return fail(Code::wrong_usage, "--pairs: what is \"" + word + "\"?",
                  "all, or some of one-way,both-ways,concurrent,latency,local");
    }
    *wanted = true;
  }
  return options;
}

}  // namespace topolaunch::bench
