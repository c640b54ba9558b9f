// SPDX-License-Identifier: Apache-2.0
#include "topo/slurm_conf.h"

#include <gmock/gmock.h>

#include "tests/topo/facts.h"

namespace topolaunch::topo {
namespace {

using ::testing::HasSubstr;

Topology read(std::string_view text) {
  auto facts = facts_from_topology_conf(text, "topology.conf");
  EXPECT_TRUE(facts.has_value()) << facts.error().text();
  return facts ? assembled(*facts) : Topology();
}

TEST(SlurmConf, ReadsAnyCaseCommentsAndContinuedLines) {
  const auto topology = read(
      "# a tree\nSwitchName=l1 Nodes=g[1-2]  # rack\nswitchname=l2 NODES=g3,\\\nlogin-a LinkSpeed=400\n"
      "SwitchName=top Switches=l[1-2]\n");
  ASSERT_EQ(topology.hosts.size(), 4U);
  EXPECT_EQ(topology.hosts[3].name, "login-a");
  EXPECT_EQ(topology.fabric.switches.size(), 3U);
  EXPECT_EQ(topology.fabric.leaf_of_host, (std::vector<int>{0, 0, 1, 1}));
  EXPECT_EQ(topology.fabric.switches[0].parent, 2);
  EXPECT_TRUE(topology.warnings.empty());
}

TEST(SlurmConf, FindsEachFaultWithItsLineAndReadsOn) {
  const auto topology = read(
      "SwitchName=l1 Nodes=g[1-4]\n"
      "SwitchName=l2 Nodes=g[4-8]\n"
      "SwitchName=l3 Nodes=g[9-12], g13\n"
      "SwitchName=l4 Nodes=g[14-15\n"
      "SwitchName=l1 Nodes=g16\n"
      "SwitchName=spine Switches=l[1-4],l9\n"
      "SwitchName=core Switches=spine,core\n"
      "SwitchName=empty\n");
  const std::vector<std::pair<int, const char*>> want{
      {2, "host-two-leaves"}, {3, "slurm-stray-word"}, {4, "slurm-host-list"},
      {5, "switch-repeated"}, {6, "switch-unknown"},   {7, "switch-loop"},
      {8, "switch-empty"}};
  for (const auto& [line, code] : want) {
    bool found = false;
    for (const auto& warning : topology.warnings) {
      found = found || (warning.line == line && warning.code == code);
    }
    EXPECT_TRUE(found) << code << " on line " << line;
    EXPECT_EQ(count_of(topology, code), 1) << code;
  }
  EXPECT_EQ(topology.hosts.size(), 12U);
}

TEST(SlurmConf, ReadsBlocksAndRings) {
  const auto blocks = read("BlockName=b1 Nodes=n[1-3]\nBlockName=b2 Nodes=n[4-5]\nBlockSizes=2,4\n");
  EXPECT_EQ(blocks.hosts.size(), 5U);
  EXPECT_EQ(blocks.fabric.leaf_of_host, (std::vector<int>{0, 0, 0, 1, 1}));
  EXPECT_EQ(blocks.fabric.switches.at(2).name, "b[1-2]");
  EXPECT_TRUE(blocks.warnings.empty());
  const auto rings = read("RingName=r0 Nodes=t[3,1-2]\n");
  EXPECT_EQ(rings.hosts.at(0).name, "t3");  // the order of the list is the position
}

TEST(SlurmConf, ReadsWhatScontrolShows) {
  const auto tree = read(
      "SwitchName=l0 Level=0 LinkSpeed=1 Nodes=n[1-2]\nSwitchName=l1 Level=0 LinkSpeed=1 Nodes=n3\n"
      "SwitchName=top Level=1 LinkSpeed=1 Nodes=n[1-3] Switches=l[0-1]\n");
  EXPECT_EQ(tree.fabric.leaf_of_host, (std::vector<int>{0, 0, 1}));
  EXPECT_TRUE(tree.warnings.empty());
  const auto blocks = read(
      "BlockName=b1 BlockIndex=0 Nodes=n[1-2] BlockSize=2\n"
      "BlockName=b2 BlockIndex=1 Nodes=n[3-4] BlockSize=2\n"
      "AggregatedBlock=b[1-2] BlockIndex=2 Nodes=n[1-4] BlockSize=4\n");
  EXPECT_EQ(blocks.hosts.size(), 4U);
  EXPECT_EQ(blocks.fabric.switches.at(0).parent, 2);
  EXPECT_TRUE(blocks.warnings.empty());
  const auto torus = read(
      "TorusName=p Dims=2x2x1 Nodes=q[1-4]\n  TorusName=p PlacementDims=2x1x1(2) Anchors=2\n");
  EXPECT_EQ(torus.hosts.size(), 4U);
  EXPECT_TRUE(torus.warnings.empty());
}

TEST(SlurmConf, RefusesAFileWithoutASwitch) {
  EXPECT_FALSE(facts_from_topology_conf("# nothing\n", "t.conf").has_value());
  const auto none = facts_from_topology_conf("BlockSizes=20\n#BlockName=b1 Nodes=n[1-18]\n", "t.conf");
  EXPECT_THAT(none.error().message, HasSubstr("no switch"));
  EXPECT_EQ(none.error().line, 1);
}

TEST(SlurmConf, RecognisesItsFirstLine) {
  EXPECT_TRUE(looks_like_topology_conf("# c\n\n  SWITCHNAME=a Nodes=b"));
  EXPECT_TRUE(looks_like_topology_conf("BlockName=b1 Nodes=n1"));
  EXPECT_TRUE(looks_like_topology_conf("TorusName=p Dims=1x1x1 Nodes=n1"));
  EXPECT_FALSE(looks_like_topology_conf("SwitchNames=b1 Nodes=n1"));
  EXPECT_FALSE(looks_like_topology_conf("hello\nSwitchName=a"));
  EXPECT_FALSE(looks_like_topology_conf(""));
}

}  // namespace
}  // namespace topolaunch::topo
