// SPDX-License-Identifier: Apache-2.0
#include "topo/ec2.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/topo/facts.h"
#include "topo/cloud_places.h"
#include "topo/instance_types.h"
#include "topo/json_reading.h"

namespace topolaunch::topo {
namespace {

using ::testing::HasSubstr;

Result<std::vector<Fact>> facts(const std::string& text) {
  return facts_from_json(GivenText{text, text, "ec2.json", "", ""});
}
std::string instance(const std::string& id, const std::string& nodes,
                     const std::string& more = "") {
  return "{\"InstanceId\": \"" + id +
         "\", \"InstanceType\": \"p5.48xlarge\", \"NetworkNodes\": " + nodes + more + "}\n";
}
std::string page(const std::string& instances, const std::string& token = "null") {
  return "{\"Instances\": [\n" + instances + "], \"NextToken\": " + token + "}";
}

TEST(Ec2, PutsTheLastNodeAtTheBottom) {
  const auto topology =
      assembled(*facts(page(instance("i-1", R"(["top", "mid-a", "leaf-a"])") + "," +
                            instance("i-2", R"(["top", "mid-b", "leaf-b"])") + "," +
                            instance("i-3", R"(["top", "mid-a", "leaf-a"])"))));
  ASSERT_EQ(topology.hosts.size(), 3U);
  EXPECT_EQ(topology.fabric.leaf_of_host[0], topology.fabric.leaf_of_host[2]);
  EXPECT_NE(topology.fabric.leaf_of_host[0], topology.fabric.leaf_of_host[1]);
  EXPECT_EQ(topology.fabric.switches.size(), 5U);
  EXPECT_EQ(topology.fabric.switches[0].name, "leaf-a");
  EXPECT_EQ(topology.hosts[0].gpus.size(), 8U);
  EXPECT_EQ(topology.fabric.host_rate, Bandwidth::gigabits_per_second(3200));
  EXPECT_TRUE(topology.warnings.empty());
}

TEST(Ec2, TakesFourLayersAndNamesTheLineOfAContradiction) {
  const auto topology = assembled(*facts(page(instance("i-1", R"(["t", "a", "b", "leaf"])") + "," +
                                              instance("i-2", R"(["t", "a", "c", "leaf"])"))));
  EXPECT_EQ(topology.fabric.level_names.size(), 4U);
  ASSERT_EQ(count_of(topology, "switch-two-parents"), 1);
  EXPECT_EQ(topology.warnings[0].line, 3);
}

TEST(Ec2, KnowsThatAPlaceIsNotKnown) {
  const auto topology =
      assembled(*facts(page(instance("i-1", R"(["t", "m", "l"])") + "," + instance("i-2", "null") +
                            "," + instance("i-3", "[]") + R"(,{"InstanceId": "i-4"})")));
  EXPECT_EQ(topology.hosts.size(), 4U);
  EXPECT_THAT(message_of(topology, "host-place-unknown"), HasSubstr("3 hosts (i-2"));
}

TEST(Ec2, TakesNullAndItsNameForNoCapacityBlock) {
  const auto topology =
      assembled(*facts(page(instance("i-1", "null", R"(, "CapacityBlockId": "null")") + "," +
                            instance("i-2", "null", R"(, "CapacityBlockId": null)") + "," +
                            instance("i-3", "null", R"(, "CapacityBlockId": "cb-1")"))));
  EXPECT_EQ(topology.hosts[0].gpus.at(0).fabric_cluster, "");
  EXPECT_EQ(topology.hosts[1].gpus.at(0).fabric_cluster, "");
  EXPECT_EQ(topology.hosts[2].gpus.at(0).fabric_cluster, "cb-1");
}

TEST(Ec2, SaysThatPagesAreMissingUnlessTheLastIsThere) {
  auto first = *facts(page(instance("i-1", R"(["t", "m", "l"])"), "\"more\""));
  auto last = *facts(page(instance("i-2", R"(["t", "m", "l"])")));
  EXPECT_EQ(count_of(assembled(first), "ec2-more-pages"), 1);
  auto alone = first;
  join_ec2_pages({&alone});
  EXPECT_EQ(count_of(assembled(alone), "ec2-more-pages"), 1);
  join_ec2_pages({&first, &last});
  first.insert(first.end(), last.begin(), last.end());
  const auto whole = assembled(first);
  EXPECT_TRUE(whole.warnings.empty());
  EXPECT_EQ(whole.fabric.leaf_of_host, (std::vector<int>{0, 0}));
}

TEST(Ec2, GivesInstancesTheNamesOfTheirHosts) {
  auto all = *facts(
      page(instance("i-1", R"(["t", "m", "l"])") + "," + instance("i-2", R"(["t", "m", "l"])")));
  const auto names =
      *facts(R"([{"InstanceId": "i-2", "PrivateDnsName": "ip-10-1-0-2.us-west-2.compute.internal"},
                                {"InstanceId": "i-9", "PrivateDnsName": "ip-10-1-0-9.ec2.internal"}])");
  all.insert(all.end(), names.begin(), names.end());
  const auto topology = assembled(all);
  ASSERT_EQ(topology.hosts.size(), 2U);
  EXPECT_EQ(topology.hosts[1].name, "ip-10-1-0-2");
  EXPECT_EQ(topology.fabric.leaf_of_host, (std::vector<int>{0, 0}));
}

TEST(Ec2, AnswersWithNoInstances) {
  EXPECT_TRUE(facts("{\"Instances\": []}")->empty());
  EXPECT_THAT(facts("{\"Instances\": [{\"InstanceType\": \"x\"}]}").error().message,
              HasSubstr("Instances[0] has no InstanceId"));
}

TEST(InstanceTypes, KnowsSageMakersNamesToo) {
  EXPECT_EQ(instance_type("ml.p5.48xlarge")->gpus, 8);
  EXPECT_EQ(instance_type("p6e-gb200.36xlarge")->gpus, 4);
  EXPECT_EQ(instance_type("ml.g5.12xlarge")->gpus, 4);
  EXPECT_EQ(instance_type("g4dn.xlarge")->gpus, 1);
  EXPECT_FALSE(instance_type("g4dn.xlarge")->network().known());
  EXPECT_EQ(instance_type("m5.large"), nullptr);
}

TEST(JsonReading, FindsLinesForward) {
  JsonLines lines("{\n \"a\": \"x\",\n \"b\": \"y\", \"c\": \"x\"}");
  EXPECT_EQ(lines.next("x"), 2);
  EXPECT_EQ(lines.next("y"), 3);
  EXPECT_EQ(lines.next("z"), 0);
}

TEST(JsonReading, TakesNumbersInQuotes) {
  const Json json{{"a", "8"}, {"b", 7}, {"c", "x"}, {"d", nullptr}};
  EXPECT_EQ(integer_of(member(&json, "a")), 8);
  EXPECT_EQ(integer_of(member(&json, "b")), 7);
  EXPECT_EQ(integer_of(member(&json, "c"), -1), -1);
  EXPECT_EQ(member(&json, "d"), nullptr);
  EXPECT_EQ(member(&json, "none"), nullptr);
}

}  // namespace
}  // namespace topolaunch::topo
