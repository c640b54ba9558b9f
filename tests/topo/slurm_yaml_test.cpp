// SPDX-License-Identifier: Apache-2.0
#include "topo/slurm_yaml.h"

#include <gmock/gmock.h>

#include "tests/topo/facts.h"

namespace topolaunch::topo {
namespace {

using ::testing::HasSubstr;

const std::string kFile =
    "---\n"
    "- topology: first\n"
    "  tree: {switches: [{switch: l1, nodes: 'a[1-2]'}, {switch: l2, nodes: a3}, {switch: top, "
    "children: 'l[1-2]'}]}\n"
    "- topology: blocks\n"
    "  block: {block_sizes: [2, 4], blocks: [{block: b1, nodes: 'b[1-2]'}, {block: b2, nodes: "
    "'b[3-4]'}]}\n"
    "- topology: rings\n"
    "  cluster_default: true\n"
    "  ring: {rings: [{ring: r, nodes: 'r[3,1-2]'}]}\n"
    "- topology: cube\n"
    "  torus3d:\n"
    "    toruses:\n"
    "      - {name: p, dims: {x: 2, y: 1, z: 2}, regions: [\n"
    "          {anchor: {x: 0, y: 0, z: 1}, dims: {x: 2, y: 1, z: 1}, nodes: 'up[1-2]'},\n"
    "          {anchor: {x: 0, y: 0, z: 0}, dims: {x: 2, y: 1, z: 1}, nodes: 'low[1-2]'}]}\n"
    "- topology: plain\n"
    "  flat: true\n";

Topology read(const std::string& name, const std::string& text = kFile) {
  auto facts = facts_from_topology_yaml(text, "t.yaml", name);
  EXPECT_TRUE(facts.has_value()) << facts.error().text();
  return facts ? assembled(*facts) : Topology();
}
std::vector<std::string> hosts(const Topology& topology) {
  std::vector<std::string> names;
  for (const auto& host : topology.hosts) names.push_back(host.name);
  return names;
}

TEST(SlurmYaml, ReadsTheDefaultAndSaysWhatElseIsThere) {
  const auto topology = read("");
  EXPECT_THAT(hosts(topology), ::testing::ElementsAre("r3", "r1", "r2"));
  EXPECT_THAT(message_of(topology, "slurm-other-topologies"),
              HasSubstr("first, blocks, cube, plain"));
}

TEST(SlurmYaml, ReadsEachKindByName) {
  EXPECT_EQ(read("first").fabric.leaf_of_host, (std::vector<int>{0, 0, 1}));
  EXPECT_EQ(read("first").fabric.switches.at(0).parent, 2);
  EXPECT_EQ(read("blocks").fabric.switches.size(), 3U);
  EXPECT_THAT(hosts(read("cube")), ::testing::ElementsAre("low1", "low2", "up1", "up2"));
  EXPECT_EQ(count_of(read("cube"), "slurm-other-topologies"), 0);
}

TEST(SlurmYaml, SaysThatFlatSaysNothing) {
  const auto facts = facts_from_topology_yaml(kFile, "t.yaml", "plain");
  ASSERT_FALSE(facts.has_value());
  EXPECT_THAT(facts.error().message, HasSubstr("flat"));
}

TEST(SlurmYaml, RefusesWithTheLine) {
  const auto refused = [](const std::string& text, const std::string& name = "") {
    return facts_from_topology_yaml(text, "t.yaml", name).error();
  };
  EXPECT_THAT(refused(kFile, "none").next, HasSubstr("first, blocks, rings"));
  EXPECT_EQ(refused("- topology: a\n  tree: [\n").code, Code::invalid_input);
  EXPECT_EQ(refused("- topology: a\n  torus3d: {toruses: [{name: p, dims: {x: 1}}]}\n").line, 2);
  EXPECT_EQ(refused("- topology: a\n  block: {block_sizes: [x], blocks: []}\n").line, 2);
  EXPECT_EQ(refused("- topology: a\n").code, Code::invalid_input);
  const auto twice = refused("- topology: a\n  flat: true\n  topology: b\n");
  EXPECT_EQ(twice.message, "'topology' stands in one mapping on lines 1 and 3");
  EXPECT_EQ(twice.line, 3);
  EXPECT_EQ(refused(std::string(100000, '[')).code, Code::invalid_input);
}

TEST(SlurmYaml, RecognisesItself) {
  EXPECT_TRUE(looks_like_topology_yaml("# c\n---\n\n- topology: x\n"));
  EXPECT_TRUE(looks_like_topology_yaml("-   \"topology\": x\n"));
  EXPECT_FALSE(looks_like_topology_yaml("- switch: x\n"));
  EXPECT_FALSE(looks_like_topology_yaml("apiVersion: v1\n- topology: x\n"));
}

}  // namespace
}  // namespace topolaunch::topo
