// SPDX-License-Identifier: Apache-2.0
//
// The numbers of a report page, taken from what a run has left: bandwidth over size with the
// model's estimate beside, what pairs and groups reached, where the time of a step goes.
#pragma once

#include <string>
#include <vector>

#include "launcher/report/page/chart.h"
#include "launcher/report/page/heat_map.h"
#include "launcher/saved_run.h"

namespace topolaunch::launcher::page {

/// Measured bandwidth (median; the 99th percentile below it), this tool's estimate for the same
/// placement, and the library's own where it gave one. `whose` goes before the names: "run 0190: ".
std::vector<Series> bandwidth_series(const SavedRun& run, const std::string& whose);

/// The model's bus bandwidth of a world allreduce on the run's placement; empty where it can't be
/// said: no topology, a model for GPUs beside a measurement on CPUs, another collective.
Series estimate_series(const SavedRun& run);

struct NamedPairs {
  std::string name;  ///< "one way", "everybody at once", "latency"
  Pairs pairs;
  std::string note;  ///< what the rows are, where they are not ranks
};
/// The pair matrices of the measurement; host by host where there are more than 64 ranks.
std::vector<NamedPairs> pair_matrices(const SavedRun& run);

/// One dimension of the job's process groups.
struct GroupTime {
  std::string dimension;
  int groups = 0, ranks = 0;  ///< how many there are, ranks of each
  double estimate = 0;        ///< seconds a step, from the model; 0 = not known
  double measured = 0;        ///< seconds, the slowest group at the largest size; 0 = not measured
  std::int64_t bytes = 0;     ///< that size
  std::string slowest;        ///< "tp 3 (ranks 24-31), 1.8 times the median"; empty = alike
};
std::vector<GroupTime> group_times(const SavedRun& run);

}  // namespace topolaunch::launcher::page
