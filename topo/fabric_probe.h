// SPDX-License-Identifier: Apache-2.0
//
// probe_fabric(): measures which hosts share a leaf, with whatever can run a round of pairs. First
// latency, which shows leaves where the path shows at all; then tournaments of bandwidth, three at
// least (two, if each by itself shows the same leaves clearly), until two in a row lead to the same
// leaves and both are certain, or the budget is spent.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "topo/fact.h"
#include "topo/leaf_clusters.h"
#include "topo/tournament.h"

namespace topolaunch::topo {

/// Measures the pairs of a round at the same time, both directions at once; a value for each: bytes
/// per second of the slower direction, or seconds. Zero or less = that pair failed.
using MeasureRound = std::function<Result<std::vector<double>>(PairFact::Of, const Round&)>;

struct ProbeOptions {
  int most_tournaments = 10;
  std::uint64_t seed = 1;
  std::function<bool()> time_is_up = [] {
    return false;
  };  ///< asked between tournaments, from the sixth on
};

struct ProbeResult {
  std::vector<PairFact> pairs;  ///< every sample
  LeafClusters leaves;          ///< over the hosts as given
  PairFact::Of by = PairFact::Of::bandwidth;
  int tournaments = 0;  ///< of bandwidth
  int rounds = 0;
};

/// could_not_test from `measure` ends it.
Result<ProbeResult> probe_fabric(const std::vector<std::string>& hosts, const MeasureRound& measure,
                                 const ProbeOptions& options);

}  // namespace topolaunch::topo
