// SPDX-License-Identifier: Apache-2.0
#include "topo/slurm_tree_write.h"

#include <gmock/gmock.h>

#include <map>

#include "tests/topo/facts.h"
#include "topo/slurm_conf.h"

namespace topolaunch::topo {
namespace {

using ::testing::HasSubstr;

Topology read(const std::string& text) {
  auto facts = facts_from_topology_conf(text, "t.conf");
  EXPECT_TRUE(facts.has_value()) << facts.error().text() << text;
  return facts ? assembled(*facts) : Topology();
}

/// Each switch with its parent, level and hosts; the order of switches is no part of a tree.
std::map<std::string, std::string> shape(const Topology& topology) {
  std::map<std::string, std::string> boxes;
  const auto& fabric = topology.fabric;
  for (const auto& box : fabric.switches) {
    boxes[box.name] =
        std::to_string(box.level) + " below " +
        (box.parent < 0 ? "-" : fabric.switches[static_cast<std::size_t>(box.parent)].name) + ":";
  }
  for (std::size_t h = 0; h < topology.hosts.size(); ++h) {
    const int leaf = fabric.leaf_of_host[h];
    if (leaf >= 0)
      boxes[fabric.switches[static_cast<std::size_t>(leaf)].name] += " " + topology.hosts[h].name;
  }
  return boxes;
}

TEST(SlurmTreeWrite, IsReadBackEqual) {
  for (const char* text : {"SwitchName=l1 Nodes=g[001-004],login-a\nSwitchName=l2 "
                           "Nodes=g[9,7,5]\nSwitchName=top Switches=l[1-2]\n",
                           "SwitchName=l0 Nodes=n1\nSwitchName=l1 Nodes=n2\nSwitchName=a0 "
                           "Switches=l0\nSwitchName=core Switches=a0,l1\n",
                           "SwitchName=a Nodes=g1\nSwitchName=b Nodes=g2\n"}) {
    const auto first = read(text);
    const auto second = read(slurm_tree(first));
    EXPECT_EQ(shape(first), shape(second)) << slurm_tree(first);
    EXPECT_TRUE(second.warnings.empty());
  }
}

TEST(SlurmTreeWrite, CutsNamesToWhatAListHolds) {
  const auto box = [](const std::string& name, std::vector<std::string> hosts) {
    SwitchFact entry;
    entry.name = name;
    entry.hosts = std::move(hosts);
    return fact(kHwloc, entry, "");
  };
  const auto text = slurm_tree(assembled({box("MF0;l:M/U1", {"a"}), box("MF0,l:M/U1", {"b"})}));
  EXPECT_THAT(text, HasSubstr("SwitchName=MF0-l-M-U1 Nodes=a\n"));
  EXPECT_THAT(text, HasSubstr("SwitchName=MF0-l-M-U1-2 Nodes=b\n"));
}

TEST(SlurmTreeWrite, GivesHostsOfAnUpperSwitchALeafAndLeavesOutTheUnknown) {
  SwitchFact leaf, spine;
  leaf.name = "l";
  leaf.parent = "s";
  leaf.hosts = {"a"};
  spine.name = "s";
  spine.hosts = {"b"};
  const auto text = slurm_tree(assembled(
      {fact(kHwloc, leaf, ""), fact(kHwloc, spine, ""), fact(kHwloc, HostFact{}, "lost")}));
  EXPECT_THAT(text, HasSubstr("SwitchName=s-hosts Nodes=b\nSwitchName=s Switches=l,s-hosts\n"));
  EXPECT_THAT(text, HasSubstr("# place unknown: lost\n"));
  EXPECT_THAT(slurm_tree(Topology()), HasSubstr("no source says"));
}

}  // namespace
}  // namespace topolaunch::topo
