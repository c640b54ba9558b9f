// SPDX-License-Identifier: Apache-2.0
#include "topo/sagemaker.h"

#include <gmock/gmock.h>

#include "tests/topo/facts.h"

namespace topolaunch::topo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<std::vector<Fact>> facts(const std::string& text) {
  return facts_from_json(GivenText{text, text, "resourceconfig.json", "", ""});
}
std::vector<std::string> hosts(const Topology& topology) {
  std::vector<std::string> names;
  for (const auto& host : topology.hosts) names.push_back(host.name);
  return names;
}

TEST(SageMaker, PutsHostsInTheOrderOfTheirNumbers) {
  const auto topology = assembled(*facts(
      R"({"current_host": "algo-10", "hosts": ["algo-1", "algo-10", "algo-2"], "current_instance_type": "ml.p4d.24xlarge"})"));
  EXPECT_THAT(hosts(topology), ElementsAre("algo-1", "algo-2", "algo-10"));
  EXPECT_EQ(topology.hosts[2].gpus.size(), 8U);
  EXPECT_THAT(
      hosts(assembled(*facts(
          R"({"current_host": "algo-2-x7k2p", "hosts": ["algo-2-x7k2p", "algo-1-x7k2p"]})"))),
      ElementsAre("algo-1-x7k2p", "algo-2-x7k2p"));
}

TEST(SageMaker, KnowsGroupsAndUltraServers) {
  const auto topology = assembled(*facts(
      R"({"current_host": "algo-1", "hosts": ["algo-1", "algo-2", "algo-3"],
          "instance_groups": [{"instance_type": "ml.p6e-gb200.36xlarge", "hosts": ["algo-1", "algo-2"]},
                              {"instance_type": "ml.c5.18xlarge", "hosts": ["algo-3"]}],
          "topology": [{"hostName": "algo-1", "capacityUnitId": "us-1"}, {"hostName": "algo-2", "capacityUnitId": "us-2"}]})"));
  EXPECT_EQ(topology.hosts[0].gpus.size(), 4U);
  EXPECT_EQ(topology.hosts[0].gpus[0].fabric_cluster, "us-1");
  EXPECT_EQ(topology.hosts[1].gpus[0].fabric_cluster, "us-2");
  EXPECT_TRUE(topology.hosts[2].gpus.empty());
}

TEST(SageMaker, RefusesAHostThatIsNotAmongTheHosts) {
  EXPECT_THAT(facts("{\n\"current_host\": \"algo-3\", \"hosts\": [\"algo-1\"]}").error().text(),
              HasSubstr("resourceconfig.json:2:"));
  EXPECT_THAT(facts(R"({"current_host": "algo-3", "hosts": []})").error().message,
              HasSubstr("no hosts"));
}

TEST(SageMaker, ReadsHyperPodsFileAndJoinsEc2ByInstance) {
  auto all = *facts(
      R"({"ClusterConfig": {"ClusterName": "c"}, "InstanceGroups": [
          {"Name": "w", "InstanceType": "ml.p5.48xlarge", "Instances": [
            {"InstanceName": "w-1", "CustomerIpAddress": "10.1.1.21", "InstanceId": "i-1"},
            {"InstanceName": "w-2", "CustomerIpAddress": "10.1.1.22", "InstanceId": "i-2"}]},
          {"Name": "login", "InstanceType": "ml.m5.xlarge", "Instances": null}]})");
  const auto places = *facts(
      R"({"Instances": [{"InstanceId": "i-1", "NetworkNodes": ["t", "l1"]}, {"InstanceId": "i-2", "NetworkNodes": ["t", "l2"]}]})");
  all.insert(all.end(), places.begin(), places.end());
  const auto topology = assembled(all);
  EXPECT_THAT(hosts(topology), ElementsAre("ip-10-1-1-21", "ip-10-1-1-22"));
  EXPECT_EQ(topology.fabric.leaf_of_host.size(), 2U);
  EXPECT_NE(topology.fabric.leaf_of_host[0], topology.fabric.leaf_of_host[1]);
}

}  // namespace
}  // namespace topolaunch::topo
