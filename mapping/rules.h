// SPDX-License-Identifier: Apache-2.0
//
// Rules: --affinity and --anti-affinity as sets of ranks that belong into one block of a level, or
// apart from each other.
//
//   GROUP[=LEVEL], LEVEL = host where it is left out; GROUP is
//     tp            each process group of that dimension for itself
//     0-7,12        these ranks
//     0-7/8-15      (anti-affinity) no block holds ranks of both
//     @n01,n02      (both) the blocks of these hosts, another job's or the data's: seats inside
//                   them only, or none of them. Names of switches count as well. Seen to by
//                   seat_pool().
#pragma once

#include <string>
#include <vector>

#include "mapping/levels.h"
#include "mapping/rank_graph.h"
#include "mapping/solution.h"

namespace topolaunch::mapping {

/// One GROUP[=LEVEL] taken apart.
struct RuleText {
  std::string option, group, level;
  bool about_hosts() const { return !group.empty() && group.front() == '@'; }
  std::string text() const;
  static RuleText parse(const std::string& option, const std::string& value);
};

/// Hosts of "n01,leaf2": each a host or all hosts below a switch. wrong_usage for an unknown name.
Result<std::vector<int>> hosts_named(const topo::Topology& topology, const std::string& option,
                                     const std::string& list);

class Rules {
 public:
  /// wrong_usage for a group, rank or level that does not exist.
  static Result<Rules> make(const topo::Topology& topology, const RankGraph& graph,
                            const Constraints& constraints);

  struct Set {
    bool apart = false;
    int level = 0;  ///< index in Levels
    std::vector<int> ranks;
    std::vector<int> others;  ///< apart from these in place of from each other
    int text = 0;             ///< which of texts()
  };
  const std::vector<Set>& sets() const { return sets_; }
  bool empty() const { return sets_.empty(); }
  const Levels& levels() const { return levels_; }

  /// The first rule that `seats` (by rank) break, in words; empty if none. Ranks on host -1 have no
  /// seat yet and break nothing.
  std::string fault(const std::vector<Seat>& seats) const;
  /// The first rule for which no placement has room, in numbers; empty if each of them alone has.
  /// `capacity`: ranks that each host takes.
  std::string shortage(const std::vector<int>& capacity) const;
  /// Whether the sets that hold one of `moved` are all right.
  bool hold(const std::vector<Seat>& seats, const std::vector<int>& moved) const;

 private:
  bool holds(const Set& set, const std::vector<Seat>& seats) const;

  Levels levels_;
  std::vector<Set> sets_;
  std::vector<std::string> texts_;
  std::vector<std::vector<int>> sets_of_rank_;
  mutable std::vector<int> seen_;  ///< scratch, by block
};

}  // namespace topolaunch::mapping
