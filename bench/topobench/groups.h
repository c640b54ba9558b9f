// SPDX-License-Identifier: Apache-2.0
//
// --groups: which ranks form the groups that are measured side by side, as the job will use them.
//   tp=2,dp=4  axes with their sizes, the first one over neighbouring ranks; sizes multiply to all
//   tp,dp      the coordinates that the launcher gave each rank (TOPOLAUNCH_TP_RANK and so on)
//   host       all ranks of a host
//   leaf       all ranks under a leaf switch (TOPOLAUNCH_LEAF)
//   rail       the ranks of equal number on all hosts
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/json.h"
#include "base/result.h"

namespace topolaunch::bench {

struct GroupAxis {
  std::string name;
  int size = 0;  ///< 0 = where the ranks are tells it
};

/// "tp=2,dp=4", "host,rail"; wrong_usage for a word that is no axis.
Result<std::vector<GroupAxis>> group_axes(const std::string& words);

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

/// One for each axis; wrong_usage where the sizes don't fit the ranks or they have no such
/// coordinate, unavailable where nobody knows their leaves.
Result<std::vector<Grouping>> groupings(const std::vector<GroupAxis>& axes,
                                        const std::vector<RankFacts>& ranks);

int smallest_group(const Grouping& grouping);  ///< ranks in it; 0 without ranks

}  // namespace topolaunch::bench
