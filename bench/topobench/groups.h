// SPDX-License-Identifier: Apache-2.0
//
// --groups: which ranks form the groups that are measured side by side, as the job will use them.
//   tp=2,dp=4    axes with their sizes, the first one over neighbouring ranks; sizes multiply to
//   all tp,dp        the coordinates that the launcher gave each rank (TOPOLAUNCH_TP,
//   TOPOLAUNCH_DP) host         all ranks of a host        leaf   all ranks under a leaf switch
//   (TOPOLAUNCH_LEAF) rail         the ranks of equal number on all hosts
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/json.h"
#include "base/result.h"

namespace topolaunch::bench {

/// What is known of one rank.
struct RankFacts {
  std::string host_key;
  int local_rank = 0;
  std::string leaf;                        ///< empty = not known
  std::map<std::string, int> coordinates;  ///< "tp" -> 1, as the launcher gave them
};

/// Axes a rank may have coordinates on.
std::map<std::string, int> coordinates_from(const Environment& environment);

/// One axis: the number of its group for each rank of the world, 0, 1, ... in the order of ranks.
struct Grouping {
  std::string axis;
  std::vector<int> group_of;
};

/// All axes of `words`; wrong_usage where they don't fit the ranks.
Result<std::vector<Grouping>> groupings(const std::string& words,
                                        const std::vector<RankFacts>& ranks);

}  // namespace topolaunch::bench
