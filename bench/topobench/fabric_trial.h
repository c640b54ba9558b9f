// SPDX-License-Identifier: Apache-2.0
//
// Fabric trial: which hosts share a leaf, measured by one rank a host (topo/fabric_probe.h says
// how). Rank 0 names each round, everybody measures it at the same time, rank 0 decides whether it
// has seen enough.
//
//   topobench __probe '{"hosts": ["h0", "h1", "h2", "h3"], "seconds": 5, "seed": 1}'
//
// hosts[r] is the name of rank r's host. Rank 0 prints the probe as one line (topo/probe_file.h).
// Through MPI on host memory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace topolaunch::bench {

inline constexpr std::string_view kFabricTrialWord = "__probe";

struct FabricTrial {
  std::vector<std::string> hosts;
  double seconds = 5;  ///< further tournaments are begun until then; five, if it takes so many, in any case
  int most_tournaments = 20;
  std::uint64_t seed = 1;
};

/// wrong_usage unless every process has a name of its own.
Result<FabricTrial> fabric_trial_from_json(const Json& json, int processes);

int fabric_trial_main(int argc, char** argv);

}  // namespace topolaunch::bench
