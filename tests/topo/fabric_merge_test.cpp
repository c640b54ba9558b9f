// SPDX-License-Identifier: Apache-2.0
#include "topo/fabric_merge.h"

#include <gmock/gmock.h>

#include "tests/topo/facts.h"

namespace topolaunch::topo {
namespace {

const Origin kSlurm{"slurm", "topology.conf", 1};

Fact box(const std::string& name, const std::string& parent, std::vector<std::string> hosts = {}) {
  SwitchFact entry;
  entry.name = name;
  entry.parent = parent;
  entry.hosts = std::move(hosts);
  return {kSlurm, "", entry};
}
Fact host(const std::string& name) { return fact(kHwloc, HostFact{}, name); }

TEST(FabricMerge, RaisesParentsAboveTheirChildren) {
  const auto topology = assembled(
      {box("core", ""), box("spine", "core"), box("leaf1", "spine", {"a"}), box("leaf2", "core", {"b"})});
  const auto& switches = topology.fabric.switches;
  EXPECT_EQ(switches[0].level, 2);
  EXPECT_EQ(switches[1].level, 1);
  EXPECT_EQ(switches[3].level, 0);  // hangs one level less deep
  EXPECT_EQ(topology.fabric.level_names, (std::vector<std::string>{"leaf", "spine", "core"}));
}

TEST(FabricMerge, CutsASwitchThatHangsBelowItself) {
  const auto topology = assembled({box("a", "b"), box("b", "c"), box("c", "a")});
  EXPECT_EQ(count_of(topology, "switch-loop"), 1);
  int roots = 0;
  for (const auto& entry : topology.fabric.switches) roots += entry.parent < 0 ? 1 : 0;
  EXPECT_EQ(roots, 1);
  EXPECT_EQ(count_of(assembled({box("self", "self")}), "switch-loop"), 1);
}

TEST(FabricMerge, KeepsTheFirstOfTwoLeavesOfAHost) {
  const auto topology = assembled({box("l1", "", {"a"}), box("l2", "", {"a", "b"})});
  EXPECT_EQ(topology.fabric.leaf_of_host, (std::vector<int>{0, 1}));
  EXPECT_EQ(count_of(topology, "host-two-leaves"), 1);
}

TEST(FabricMerge, KnowsThatItDoesNotKnowAPlace) {
  const auto topology = assembled({host("a"), host("b"), box("l1", "", {"a"})});
  EXPECT_EQ(topology.fabric.leaf_of_host, (std::vector<int>{0, -1}));
  EXPECT_EQ(count_of(topology, "host-place-unknown"), 1);
}

TEST(FabricMerge, SaysThatNobodyDescribesAParent) {
  EXPECT_EQ(count_of(assembled({box("l1", "nowhere", {"a"})}), "switch-unknown-parent"), 1);
}

TEST(FabricMerge, TakesAChainOfAHundredThousandSwitches) {
  std::vector<Fact> facts;
  for (int i = 0; i < 100000; ++i) {
    facts.push_back(box("s" + std::to_string(i), "s" + std::to_string(i + 1)));
  }
  EXPECT_EQ(assembled(facts).fabric.switches.size(), 100000U);
}

}  // namespace
}  // namespace topolaunch::topo
