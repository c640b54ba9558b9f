// SPDX-License-Identifier: Apache-2.0
//
// Times and checks a subject over a row of sizes. How it counts:
//   - an iteration begins behind a barrier, and its time is the slowest rank's (or what `over_ranks`
//     says), reduced after all iterations, outside of what is timed; `time` is the median over
//     iterations;
//   - the data are whole numbers with one exact result (kernels/pattern.h); the count of wrong
//     elements is over all ranks, all checked runs, and the last timed run out of place;
//   - a sendrecv goes round: each rank sends to the next and receives from the one before;
//   - memory of the largest size is allocated and touched once; warm-up runs come before.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"
#include "bench/measurement.h"
#include "bench/subject.h"
#include "bench/topobench/deadline.h"
#include "bench/topobench/world.h"

namespace topolaunch::bench {

struct TrialOptions {
  Collective collective = Collective::allreduce;
  int root = 0;                     ///< of broadcast and reduce
  std::vector<std::int64_t> sizes;  ///< bytes, whole elements
  kernels::ElementType type = kernels::ElementType::float32;
  kernels::Reduction reduction = kernels::Reduction::sum;
  int warmup_iterations = 5, iterations = 20, check_iterations = 1;
  /// Fewer iterations where a size and placement would take longer, by what the first warm-up run
  /// took; no larger size where one run does. 0 = no limit.
  Seconds size_limit{0};
  bool out_of_place = true, in_place = true;
  OverRanks over_ranks = OverRanks::slowest;
};

/// Called on rank 0 after each size.
using OnSize = std::function<void(const SizeResult&)>;

/// A trial that could not be brought to its end.
struct TrialFailure {
  Error error;
  /// All ranks have this failure and stand at the same place. False: it struck this rank alone in
  /// the middle of a collective, where the others wait for it; nothing is left but to end the job.
  bool everybody = true;
};

/// Who measures: the ranks of `group` do the collective, which is the subject's communicator; all
/// of `everybody` take part, each in a group of its own, and begin each run together. So groups are
/// measured side by side, as a job uses them.
struct Together {
  const World& everybody;
  const World& group;
};

/// Results in the order of the sizes, fewer where the limit on a size ended it; timings count on rank 0 of the group only, wrong elements on
/// all of it; `own_wrong` grows by those that this rank has received.
tl::expected<std::vector<SizeResult>, TrialFailure> run_trial(const Together& who, Subject& subject,
                                                              const TrialOptions& options,
                                                              Deadline& deadline,
                                                              const OnSize& on_size = {},
                                                              std::int64_t* own_wrong = nullptr);

const char* name_of(kernels::ElementType type);     ///< nccl-tests' "float", "int32"
const char* name_of(kernels::Reduction reduction);  ///< "sum", "min", "max"

}  // namespace topolaunch::bench
