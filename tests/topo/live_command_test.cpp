// SPDX-License-Identifier: Apache-2.0
#include "topo/live_command.h"

#include <gmock/gmock.h>

#include "tests/topo/facts.h"
#include "tests/topo/memory_files.h"

namespace topolaunch::topo {
namespace {

using ::testing::HasSubstr;

/// Answers by the first word; remembers what it was asked.
class ToldCommands final : public Commands {
 public:
  std::map<std::string, CommandOutput> answers;
  mutable std::vector<std::vector<std::string>> asked;
  Result<CommandOutput> run(const std::vector<std::string>& argv, Seconds) const override {
    asked.push_back(argv);
    for (const auto& word : argv) {
      if (const auto at = answers.find(word); at != answers.end()) return at->second;
    }
    return fail(Code::not_found, argv.front() + " is not in PATH");
  }
};

struct Told {
  ToldCommands commands;
  MemoryOutside world;
  Result<std::vector<Fact>> look(const std::string& argument) {
    const Outside outside{world.files, commands, world.clock, world.environment};
    return live_command(argument)->look(outside);
  }
};

TEST(LiveCommand, ReadsWhatTheProgramPrints) {
  Told told;
  told.commands.answers["scontrol"] = {0, "SwitchName=l0 Level=0 LinkSpeed=1 Nodes=n[1-2]\n", ""};
  EXPECT_EQ(assembled(*told.look("slurm:")).hosts.size(), 2U);
  EXPECT_THAT(told.commands.asked.at(0), ::testing::ElementsAre("scontrol", "show", "topology"));
}

TEST(LiveCommand, AsksEc2ForPlacesAndNames) {
  Told told;
  told.commands.answers["describe-instance-topology"] = {
      0, R"({"Instances": [{"InstanceId": "i-1", "NetworkNodes": ["t", "l"]}]})", ""};
  told.commands.answers["describe-instances"] = {
      0, R"([{"InstanceId": "i-1", "PrivateDnsName": "ip-10-0-0-1.ec2.internal"}])", ""};
  const auto topology = assembled(*told.look("ec2:i-1"));
  EXPECT_EQ(topology.hosts.at(0).name, "ip-10-0-0-1");
  EXPECT_THAT(told.commands.asked.at(0), ::testing::Contains("i-1"));
}

TEST(LiveCommand, AsksForAHundredInstancesAtATime) {
  Told told;
  told.commands.answers["aws"] = {0, R"({"Instances": []})", ""};
  std::string ids;
  for (int i = 0; i < 250; ++i) ids += "i-" + std::to_string(i) + ",";
  EXPECT_TRUE(told.look("ec2:" + ids).has_value());
  EXPECT_EQ(told.commands.asked.size(), 6U);  // three calls of each kind
}

TEST(LiveCommand, CouldNotLookIsNotNothing) {
  Told told;
  EXPECT_EQ(told.look("ibnetdiscover:").error().code, Code::unavailable);
  told.commands.answers["kubectl"] = {1, "", "error: no configuration has been provided\nmore"};
  const auto refused = told.look("kubernetes:").error();
  EXPECT_EQ(refused.code, Code::unavailable);
  EXPECT_THAT(refused.message, HasSubstr("status 1: error: no configuration has been provided"));
  told.commands.answers["scontrol"] = {0, "slurm_load_topo error\n", ""};
  EXPECT_THAT(told.look("slurm:").error().message, HasSubstr("can't be read"));
}

TEST(LiveCommand, LeavesFilesAndOtherSpecsAlone) {
  EXPECT_EQ(live_command("topology.conf"), nullptr);
  EXPECT_EQ(live_command("synthetic:2 host"), nullptr);
  EXPECT_EQ(live_command("/tmp/ec2:x"), nullptr);
}

}  // namespace
}  // namespace topolaunch::topo
