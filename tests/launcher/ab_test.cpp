// SPDX-License-Identifier: Apache-2.0
#include "launcher/ab.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "mapping/patterns.h"
#include "mapping/solver.h"
#include "tests/launcher/example_host.h"

namespace topolaunch::launcher {
namespace {

using Faster = AbJudgement::Faster;

TEST(JudgeOrders, TakesTheFasterOneAndLeavesOutTheFirstRound) {
  const auto judged = judge_orders({9.0, 1.2, 1.3, 1.25}, {0.1, 0.34, 0.35, 0.36});
  EXPECT_EQ(judged.faster, Faster::solved);
  EXPECT_DOUBLE_EQ(judged.given, 1.25);
  EXPECT_DOUBLE_EQ(judged.solved, 0.35);
  EXPECT_EQ(judge_orders({0.3, 0.3}, {0.5, 0.4}).faster, Faster::given);
}

TEST(JudgeOrders, CallsNoiseWhatRoundsDoNotAgreeOn) {
  EXPECT_EQ(judge_orders({1, 1.2, 1.0, 1.3, 0.9}, {1, 1.1, 1.2, 1.0, 1.1}).faster, Faster::neither);
  EXPECT_EQ(judge_orders({1, 1.00, 1.00, 1.00}, {1, 0.98, 0.98, 0.98}).faster, Faster::neither)
      << "less than 3 %";
  EXPECT_EQ(judge_orders({1.04, 1.04}, {1.0, 1.0}).faster, Faster::neither) << "two rounds: 5 %";
  EXPECT_EQ(judge_orders({}, {}).faster, Faster::neither);
}

TEST(JudgeOrders, DriftThatMeetsBothIsNoNoise) {
  EXPECT_EQ(judge_orders({1, 1, 2, 4, 8}, {0.8, 0.8, 1.6, 3.2, 6.4}).faster, Faster::solved);
}

TEST(OrderTrialJson, HasThePhasesOfTheGraph) {
  const auto graph = mapping::world_allreduce(4, Bytes::mib(4));
  const Json json = order_trial_json(graph, {{0, 1, 2, 3}, {0, 2, 1, 3}}, 0.5, 3);
  ASSERT_EQ(json["phases"].size(), 1U);
  EXPECT_EQ(json["phases"][0]["collective"], "allreduce");
  EXPECT_EQ(json["phases"][0]["bytes"], 2 << 20);
  EXPECT_EQ(json["phases"][0]["groups"].size(), 1U);
  EXPECT_EQ(json["orders"][1][1], 2);
}

TEST(OrderTrialJson, PutsGroupsThatShareARankIntoPhasesOfTheirOwn) {
  mapping::RankGraph graph;
  graph.ranks = 4;
  for (const std::vector<int>& members : {std::vector{0, 1}, {2, 3}, {1, 2}, {3}}) {
    mapping::Group group;
    group.dimension = "tp";
    group.members = members;
    group.bytes = Bytes(1024);
    graph.groups.push_back(group);
  }
  graph.edges = {{0, 3, 1000}};
  const Json json = order_trial_json(graph, {{0, 1, 2, 3}}, 1, 3);
  ASSERT_EQ(json["phases"].size(), 3U);
  EXPECT_EQ(json["phases"][0]["groups"].size(), 2U);
  EXPECT_EQ(json["phases"][1]["groups"].size(), 1U);
  EXPECT_EQ(json["phases"][2]["collective"], "pairs");
}

TEST(InGivenOrder, IsTheOrderOfTheHosts) {
  topo::Topology topology;
  for (int h = 0; h < 4; ++h) {
    topology.hosts.push_back(example_host(0));
    topology.hosts.back().name = "h" + std::to_string(h);
  }
  topology.fabric.host_rate = Bandwidth::megabits_per_second(200);
  topology.fabric.switches = {{"l0", 2, 0, Bandwidth::megabits_per_second(200)},
                              {"l1", 2, 0, Bandwidth::megabits_per_second(200)},
                              {"s", -1, 1, {}}};
  topology.fabric.leaf_of_host = {0, 1, 0, 1};
  topology.fabric.level_names = {"leaf", "spine"};
  JobModel model;
  model.graph = mapping::world_allreduce(4, Bytes::mib(4));
  model.constraints.ranks = 4;
  model.constraints.slots_per_host = {1, 1, 1, 1};
  const auto solved = mapping::solve(topology, model.graph, model.constraints);
  ASSERT_TRUE(solved) << solved.error().text();
  EXPECT_TRUE(solved->gain.possible);
  const mapping::Solution given = in_given_order(topology, model, *solved);
  for (int r = 0; r < 4; ++r) {
    EXPECT_EQ(given.placement[static_cast<std::size_t>(r)].seat.host, r);
  }
  EXPECT_FALSE(given.gain.possible);
  EXPECT_EQ(given.solution.seconds, solved->given.seconds);
}

}  // namespace
}  // namespace topolaunch::launcher
