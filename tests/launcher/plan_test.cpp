// SPDX-License-Identifier: Apache-2.0
#include "launcher/plan.h"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

namespace topolaunch::launcher {
namespace {

Plan example() {
  Plan plan;
  plan.id = "0190-1";
  plan.engine = "mpirun";
  plan.engine_why = "asked for";
  plan.workload = {{"parallel", "tp=2"}, {"traffic", "/caf\xe9"}};
  plan.engine_args = {"--mca", "btl", "tcp,self"};
  plan.command = {"python", "train.py", "caf\xe9", ""};
  plan.executable = "/usr/bin/python";
  plan.working_directory = "/home/mira";
  plan.hosts = {"h01"};
  plan.host_ids = {{"h01", "m/b/net:[1]"}};
  plan.input = "a line\n";
  plan.unset = {"AWS_SECRET"};
  plan.master_address = "h01";
  plan.master_port = 29500;
  plan.time_limit = Seconds(90);
  plan.grace = Seconds(2.5);
  plan.tag = Plan::Tag::rank;
  plan.log_directory = "logs";
  plan.run_directory = "/runs/1";
  plan.quiet = true;
  for (int r = 0; r < 2; ++r) {
    RankPlan rank;
    rank.rank = rank.local_rank = r;
    rank.host = "h01";
    rank.gpu_index = 1 - r;
    rank.gpu_pci = "0000:18:00.0";
    rank.gpu_uuid = "GPU-1";
    rank.gpu_instance = "MIG-1";
    rank.numa = r;
    rank.cpus = {r, r + 2};
    rank.memory_nodes = {r};
    rank.nics = {"mlx5_0"};
    rank.note = "near";
    rank.environment = {{"RANK", std::to_string(r)}, {"ODD", "\xff=\n"}};
    plan.ranks.push_back(rank);
  }
  return plan;
}

TEST(Plan, LosesNothingOnItsWayThroughJson) {
  const std::string text = to_pretty(to_json(example()));
  const auto json = parse_json(text, "plan.json");
  ASSERT_TRUE(json) << json.error().text();
  const auto plan = plan_from_json(*json, "plan.json");
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_EQ(to_pretty(to_json(*plan)), text);
  EXPECT_EQ(plan->command, example().command) << "words that aren't UTF-8 are kept byte for byte";
  EXPECT_EQ(plan->ranks[1].environment, example().ranks[1].environment);
  EXPECT_EQ(plan->ranks[1].cpus, example().ranks[1].cpus);
  EXPECT_EQ(plan->time_limit, example().time_limit);
}

TEST(Plan, RefusesWhatCannotBeStartedAndNamesThePlace) {
  const auto refused = [](const std::function<void(Json&)>& change) {
    Json json = to_json(example());
    change(json);
    const auto plan = plan_from_json(json, "p.json");
    return plan ? std::string("taken") : plan.error().text();
  };
  EXPECT_EQ(refused([](Json& j) { j["ranks"][1]["rank"] = 5; }),
            "p.json: ranks are not numbered 0, 1, 2, ... in order");
  EXPECT_EQ(refused([](Json& j) { j["ranks"][1].erase("host"); }),
            "p.json: ranks[1].host is missing");
  EXPECT_EQ(refused([](Json& j) { j["command"] = Json::array(); }), "p.json: command is empty");
  EXPECT_EQ(refused([](Json& j) {
              j["command"] = {"a", 3};
            }),
            "p.json: command is not a list of texts");
  EXPECT_EQ(refused([](Json& j) { j["schema"] = "topolaunch.plan/2"; }),
            "p.json: schema is 'topolaunch.plan/2', not 'topolaunch.plan/1'");
  EXPECT_EQ(refused([](Json& j) { j["ranks"][0]["cpus"] = "0-"; }),
            "p.json: ranks[0].cpus is not a CPU list");
  EXPECT_EQ(refused([](Json& j) { j["ranks"][0]["environment"]["A=B"] = "c"; }),
            "p.json: ranks[0].environment is not an object of texts");
  EXPECT_EQ(refused([](Json& j) { j["master_port"] = 70000; }),
            "p.json: master_port is not an integer from 0 to 65535");
  EXPECT_EQ(refused([](Json& j) { j["grace_seconds"] = 1e300; }).substr(0, 21),
            "p.json: grace_seconds");
  EXPECT_EQ(refused([](Json& j) { j["executable"] = std::string("a\0b", 3); }),
            "p.json: executable is not a text");
  EXPECT_EQ(refused([](Json& j) { j = Json::array(); }), "p.json: this is not an object");
}

}  // namespace
}  // namespace topolaunch::launcher
