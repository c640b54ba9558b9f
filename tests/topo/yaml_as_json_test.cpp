// SPDX-License-Identifier: Apache-2.0
#include "topo/yaml_as_json.h"

#include <gmock/gmock.h>

#include "tests/topo/facts.h"

namespace topolaunch::topo {
namespace {

using ::testing::HasSubstr;

Result<std::vector<Fact>> read(const std::string& text) { return facts_from_file(text, "nodes.yaml", "", ""); }

/// As `kubectl get node NAME -o yaml` prints one.
std::string node(const std::string& name, const std::string& leaf) {
  return "apiVersion: v1\nkind: Node\nmetadata:\n  labels:\n    node.kubernetes.io/instance-type: ml.p5.48xlarge\n"
         "    topology.k8s.aws/network-node-layer-1: nn-a\n    topology.k8s.aws/network-node-layer-2: " +
         leaf + "\n  name: " + name +
         "\nstatus:\n  allocatable:\n    nvidia.com/gpu: \"8\"\n  conditions:\n  - status: \"True\"\n    type: Ready\n";
}

TEST(YamlAsJson, NodesOfKubectl) {
  for (const auto& text : {node("n1", "leaf1") + "---\n" + node("n2", "leaf2"),
                           "---\n# two\n" + node("n1", "leaf1") + "---\n" + node("n2", "leaf2") + "---\n"}) {
    const auto facts = read(text);
    ASSERT_TRUE(facts) << facts.error().text();
    const auto topology = assembled(*facts);
    ASSERT_EQ(topology.hosts.size(), 2u);
    EXPECT_EQ(topology.hosts[0].name, "n1");
    EXPECT_EQ(topology.hosts[0].gpus.size(), 8u);
    ASSERT_EQ(topology.fabric.leaf_of_host.size(), 2u);
    EXPECT_NE(topology.fabric.leaf_of_host[0], topology.fabric.leaf_of_host[1]);
  }
}

TEST(YamlAsJson, InstancesOfAws) {
  const auto facts = read(
      "Instances:\n- AvailabilityZone: us-east-1a\n  InstanceId: i-0a\n  InstanceType: p5.48xlarge\n  NetworkNodes:\n"
      "  - nn-1\n  - nn-2\n  - nn-3\n- InstanceId: i-0b\n  InstanceType: p5.48xlarge\n  NetworkNodes: [nn-1, nn-2, nn-4]\n");
  ASSERT_TRUE(facts) << facts.error().text();
  EXPECT_EQ(assembled(*facts).hosts.size(), 2u);
}

TEST(YamlAsJson, MergedMembersCount) {
  const auto facts = read("kind: List\nitems:\n- &one {kind: Node, metadata: {name: a}, status: {allocatable: {nvidia.com/gpu: 2}}}\n"
                          "- {<<: *one, metadata: {name: b}}\n");
  ASSERT_TRUE(facts) << facts.error().text();
  const auto topology = assembled(*facts);
  ASSERT_EQ(topology.hosts.size(), 2u);
  EXPECT_EQ(topology.hosts[1].gpus.size(), 2u);
}

TEST(YamlAsJson, ScalarsAreWhatYamlSays) {
  // A name of digits and one that looks like a truth stay names where they are quoted.
  const auto facts = read("kind: Node\nmetadata:\n  name: \"12\"\nstatus:\n  allocatable:\n    nvidia.com/gpu: 4\n");
  ASSERT_TRUE(facts) << facts.error().text();
  EXPECT_EQ(assembled(*facts).hosts.front().name, "12");
  EXPECT_EQ(assembled(*facts).hosts.front().gpus.size(), 4u);
}

TEST(YamlAsJson, RefusalsNameTheLine) {
  const auto broken = read("\n\nkind: Node\nmetadata:\n  name: [a\n");
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().message, HasSubstr("YAML can't be read"));
  EXPECT_GE(broken.error().line, 5);
  EXPECT_THAT(read("kind: Pod\nmetadata: {}\n").error().message, HasSubstr("no other kind"));
  const auto twice = read("kind: Node\n---\nkind: Node\nmetadata:\n  name: a\n  name: b\n");
  ASSERT_FALSE(twice);
  EXPECT_THAT(twice.error().message, HasSubstr("'name' stands in one mapping on lines 5 and 6"));
  EXPECT_EQ(twice.error().line, 6);
  // On which yaml-cpp alone never ends.
  EXPECT_FALSE(read("kind: Node\n---\n,\n"));
  std::string deep = "kind: ";
  for (int i = 0; i < 150; ++i) deep += "{a: ";
  deep += "1" + std::string(150, '}');
  EXPECT_THAT(read(deep + "\n").error().message, HasSubstr("deeper"));
  // Each alias doubles what stands before it.
  std::string bomb = "kind: List\na0: &a0 [1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 12; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 8; ++k) bomb += std::string(k > 0 ? ", " : "") + "*a" + std::to_string(i - 1);
    bomb += "]\n";
  }
  EXPECT_THAT(read(bomb).error().message, HasSubstr("4,000,000 values"));
  EXPECT_THAT(read("kind: List\n" + std::string(17 << 20, '#')).error().next, HasSubstr("-o json"));
}

TEST(YamlAsJson, OtherTextsAreNotTakenForIt) {
  for (const char* text : {"hello: world\n", "GPU 0: NVIDIA H100\n", "- topology: t\n", "SwitchName=s Nodes=a\n", "", "kind\n"})
    EXPECT_FALSE(looks_like_json_in_yaml(text)) << text;
}

}  // namespace
}  // namespace topolaunch::topo
