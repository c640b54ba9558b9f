// SPDX-License-Identifier: Apache-2.0
//
// Order trial: the job's own communication in two or more orders of ranks, timed turn by turn in
// one run, so that what else happens on the network meets all orders alike.
//
//   topobench __orders JSON     or  -  for rank 0's standard input: a large job's is no argument
//
//   {"orders": [[0,1,2,3],[0,2,1,3]], "seconds": 3.5, "phases":
//     [{"collective": "allreduce", "bytes": 4194304, "groups": [[0,1,2,3]]}]}
//
// orders[o][r]: which process plays rank r of the job; processes that an order doesn't name sit it
// out. A phase's groups run at the same time, phases one after the other; "pairs" ([a, b, bytes]
// both ways) in place of groups for an arbitrary matrix. Through MPI on host memory.
// Rank 0 prints one line: {"schema": "topobench.orders/1", "seconds": [[...], [...]], ...}; the time
// of a step is the slowest process's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace topolaunch::bench {

inline constexpr std::string_view kOrderTrialWord = "__orders";

struct OrderTrial {
  struct Phase {
    std::string collective;  ///< allreduce allgather reduce_scatter alltoall broadcast path ring pairs
    long long bytes = 0;     ///< as nccl-tests counts them
    std::vector<std::vector<int>> groups;        ///< ranks, in the order of the collective
    std::vector<std::vector<long long>> pairs;   ///< {a, b, bytes both ways together}
  };
  std::vector<std::vector<int>> orders;
  std::vector<Phase> phases;
  double seconds = 3.5;  ///< rounds are begun until then; one is made in any case
  int most_rounds = 15;
};

/// wrong_usage, with what is the matter, unless every rank is a process once per order and in at
/// most one group of a phase, and a phase fits into memory (1 GiB a process).
Result<OrderTrial> order_trial_from_json(const Json& json, int processes);

int order_trial_main(int argc, char** argv);

}  // namespace topolaunch::bench
