// SPDX-License-Identifier: Apache-2.0
//
// Order: what topolaunch hands one shim over the control channel. The shim decides nothing: it is
// told its place, its variables and its command.
#pragma once

#include <string>
#include <vector>

#include "base/environment.h"
#include "launcher/plan.h"

namespace topolaunch::launcher {

struct Order {
  RankPlan place;
  std::vector<std::string> command;
  std::string executable, working_directory;
  std::vector<std::string> unset;
  std::vector<int> ignored_signals;  ///< that topolaunch was started with ignored (nohup): stay so
  int process_group = 0;             ///< 0 = one of its own; else the group to join
  bool strict = false;               ///< a place other than the planned one is an error
  bool has_stdin = false, has_output = false;  ///< which descriptors come along: in; out and err
};

/// The order of one rank of a plan, without its descriptors.
Order order_for(const Plan& plan, const RankPlan& rank);
/// The variables that the command gets: `own` less the unset ones and ours, plus the rank's.
Environment rank_variables(const Order& order, Environment own);

Json to_json(const Order& order);
Result<Order> order_from_json(const Json& json);

/// Variables by which a shim finds topolaunch. Taken out before the command starts.
inline constexpr const char* kControlAddress = "TOPOLAUNCH_CONTROL";
inline constexpr const char* kControlSecret = "TOPOLAUNCH_CONTROL_SECRET";
/// The rank, for engines that set no variable of their own for it.
inline constexpr const char* kControlRank = "TOPOLAUNCH_CONTROL_RANK";

}  // namespace topolaunch::launcher
