// SPDX-License-Identifier: Apache-2.0
//
// Whether what the options ask for can be done: by the subject they name, and by so many ranks.
// Asked before MPI is started as far as that is known then, and again of the ranks there are before
// anything is timed.
#pragma once

#include <vector>

#include "base/environment.h"
#include "base/result.h"
#include "bench/topobench/groups.h"
#include "bench/topobench/options.h"

namespace topolaunch::bench {

/// What one process can tell: wrong_usage for a collective, size or pairs that --subject doesn't do
/// and for CUDA graphs of host memory; unavailable where NCCL isn't built in. With --expect-ranks
/// also what that many ranks can't do.
Status can_do(const Options& options);

/// Whether a rank with this environment knows where it is on the axes of --groups without a size.
Status knows_its_place(const Options& options, const Environment& environment);

/// The groups to measure; wrong_usage where the root isn't a rank of each of them.
Result<std::vector<Grouping>> groups_of(const Options& options,
                                        const std::vector<RankFacts>& ranks);

}  // namespace topolaunch::bench
