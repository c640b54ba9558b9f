// SPDX-License-Identifier: Apache-2.0
//
// --ab: the given order of ranks and the solved one, both measured on the job's own pattern before
// the job starts, turn by turn in one run of topobench. The faster one runs.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/outside.h"
#include "launcher/job_model.h"
#include "launcher/make_plan.h"
#include "launcher/plan.h"
#include "launcher/report/story.h"
#include "launcher/run_files.h"
#include "launcher/voice.h"
#include "mapping/solution.h"
#include "topo/topology.h"

namespace topolaunch::launcher {

/// What the rounds say. Both lists have one time a round, of the same rounds.
struct AbJudgement {
  enum class Faster { given, solved, neither } faster = Faster::neither;  ///< neither: noise
  double given = 0, solved = 0;  ///< medians, seconds
};
/// The first of three or more rounds is left out: connections are made in it. A difference counts
/// when it is over 3 % (5 % from two rounds) and at most a fifth of the rounds say otherwise.
AbJudgement judge_orders(std::vector<double> given, std::vector<double> solved);

struct AbOutcome {
  bool given_runs = false;
  std::string evidence;  ///< "topolaunch.ab/1", for the run's folder; empty = none
  std::string words;     ///< one line
};

/// What of the constraints the given order breaks, so that it must not run; empty if nothing.
std::string given_order_fault(const topo::Topology& topology, const JobModel& model);
/// `solution` with the given order's seats in the place of its own.
mapping::Solution in_given_order(const topo::Topology& topology, const JobModel& model,
                                 const mapping::Solution& solution);

/// Measures; `given_plan` and `solved_plan` are the two as they would be started. An error if it
/// could not be measured, interrupted (130) among them.
Result<AbOutcome> compare_orders(const Plan& given_plan, const Plan& solved_plan,
                                 const mapping::Solution& given, const mapping::Solution& solved,
                                 const mapping::RankGraph& graph, const Outside& outside);

/// --ab: the story goes on with the order that was measured to be faster.
Status choose_by_measurement(const PlanRequest& wanted, const JobModel& model, Story& story,
                             const RunFiles& record, const Outside& outside, const Voice& voice);

/// topobench's input: the orders over `processes` seats, the graph's phases with their bytes
/// scaled by `scale`.
Json order_trial_json(const mapping::RankGraph& graph, const std::vector<std::vector<int>>& orders,
                      double scale, double seconds);

}  // namespace topolaunch::launcher
