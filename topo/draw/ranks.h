// SPDX-License-Identifier: Apache-2.0
//
// The ranks of a plan as a drawing needs them: where each sits, and which group it is coloured by.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topo/draw/drawing.h"

namespace topolaunch::topo::draw {

struct PlacedRank {
  int rank = 0;
  std::string host;
  int gpu = -1;   ///< index in Host::gpus; -1 = none
  int group = 0;  ///< index in Ranks::groups
};

/// Value; made by from_solution() or from_plan() of the layers above.
struct Ranks {
  std::vector<PlacedRank> placed;   ///< by rank
  std::string dimension;            ///< what the groups are: "tp", "host"
  std::vector<std::string> groups;  ///< names: "tp 0"

  bool empty() const { return placed.empty(); }
};

/// Looks ranks up by place. Refers to `ranks`, which has to outlive it.
class RankIndex {
 public:
  explicit RankIndex(const Ranks& ranks);
  /// On this GPU; with gpu == -1 those of the host that have none.
  std::vector<const PlacedRank*> at(const std::string& host, int gpu) const;
  /// All of a host, by rank.
  std::vector<const PlacedRank*> on(const std::string& host) const;
  const Ranks& ranks() const { return ranks_; }

 private:
  const Ranks& ranks_;
  std::map<std::string, std::vector<const PlacedRank*>, std::less<>> by_host_;
};

/// "rank 3", "ranks 3,5-7"; empty for none.
std::string rank_list(const std::vector<const PlacedRank*>& ranks);
/// "tp 2" where all are of one group, "tp 0-3" where several; empty for none.
std::string group_list(const Ranks& all, const std::vector<const PlacedRank*>& ranks);

/// Nothing where no box of the sheet shows a group; else one swatch a group with its name and
/// ranks, in columns below `y`; many are cut short and counted. Returns the y below it.
double legend(Drawing& sheet, const Ranks& ranks, double x, double y, double width);

}  // namespace topolaunch::topo::draw
