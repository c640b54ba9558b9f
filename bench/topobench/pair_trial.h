// SPDX-License-Identifier: Apache-2.0
//
// --pairs: times every pair of ranks by sendrecvs of the subject, and checks what arrived.
// Ranks that have nothing to do sleep, so that on a host whose ranks share CPUs waiting costs the
// measured ones nothing. A value is the median over the iterations, taken where data arrive.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "bench/pair_matrix.h"
#include "bench/topobench/trial.h"

namespace topolaunch::bench {

struct PairOptions {
  bool one_way = true, both_ways = true, concurrent = true, latency = true, local = true;
  bool per_host = false;   ///< the first rank of each host only
  std::int64_t bytes = 0;  ///< of a message; 0 = as suits host memory or a GPU
  int iterations = 5, warmup_iterations = 1;
};

/// "one-way,latency" and so on; wrong_usage for a word that isn't one of them.
Result<PairOptions> pair_options(const std::string& words);

/// Called on rank 0: so many of so many steps are done.
using OnProgress = std::function<void(std::size_t done, std::size_t all)>;

/// The matrix counts on rank 0 only. `subject` is over the ranks of `world`; `taking_part` those of
/// them that are measured.
tl::expected<PairMatrix, TrialFailure> run_pairs(const World& world, Subject& subject,
                                                 const PairOptions& options,
                                                 const std::vector<int>& taking_part,
                                                 Deadline& deadline,
                                                 const OnProgress& on_progress = {});

}  // namespace topolaunch::bench
