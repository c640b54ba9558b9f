// SPDX-License-Identifier: Apache-2.0
#include "topo/slurm_tree.h"

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

TEST(SlurmTree, ReadsAnyCaseCommentsAndContinuedLines) {
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

TEST(SlurmTree, FindsEachFaultWithItsLineAndReadsOn) {
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

TEST(SlurmTree, RefusesFormsThatItDoesNotRead) {
  const auto block = facts_from_topology_conf("BlockName=b1 Nodes=n[1-18]\n", "t.conf");
  EXPECT_EQ(block.error().line, 1);
  EXPECT_THAT(block.error().message, HasSubstr("BlockName"));
  EXPECT_FALSE(facts_from_topology_conf("# nothing\n", "t.conf").has_value());
}

TEST(SlurmTree, RecognisesItsFirstLine) {
  EXPECT_TRUE(looks_like_topology_conf("# c\n\n  SWITCHNAME=a Nodes=b"));
  EXPECT_TRUE(looks_like_topology_conf("BlockName=b1 Nodes=n1"));
  EXPECT_FALSE(looks_like_topology_conf("hello\nSwitchName=a"));
  EXPECT_FALSE(looks_like_topology_conf(""));
}

}  // namespace
}  // namespace topolaunch::topo
