// SPDX-License-Identifier: Apache-2.0
#include "topo/draw/fabric_tree.h"

#include <gtest/gtest.h>

#include "tests/topo/draw/sheets.h"

namespace topolaunch::topo::draw {
namespace {

std::size_t tiles(const std::vector<SwitchEntry>& entries) {
  std::size_t n = 0;
  for (const SwitchEntry& entry : entries) n += entry.hosts.size() + tiles(entry.below);
  return n;
}

TEST(FabricTree, KeepsASmallClusterWhole) {
  const FabricTree tree = fabric_tree(machine("16 host, 8 h100, 4 host/leaf, 4:1"));
  ASSERT_EQ(tree.roots.size(), 1U);
  EXPECT_EQ(tree.roots[0].below.size(), 4U);
  EXPECT_EQ(tiles(tree.roots), 16U);
  EXPECT_EQ(tree.roots[0].all_hosts, 16U);
  EXPECT_TRUE(tree.unplaced.empty());
}

TEST(FabricTree, MergesWhatIsAlikeWhereThereIsTooMuch) {
  const FabricTree tree = fabric_tree(machine("1024 host, 8 h100, 32 host/leaf"));
  ASSERT_EQ(tree.roots.size(), 1U);
  ASSERT_EQ(tree.roots[0].below.size(), 1U);
  const SwitchEntry& leaves = tree.roots[0].below[0];
  EXPECT_EQ(leaves.switches.size(), 32U);
  EXPECT_EQ(leaves.all_hosts, 1024U);
  ASSERT_EQ(leaves.hosts.size(), 1U);
  EXPECT_EQ(leaves.hosts[0].hosts.size(), 32U);  // below each
}

TEST(FabricTree, KeepsWhatDiffersApart) {
  Topology topology = machine("1024 host, 8 h100, 32 host/leaf");
  topology.hosts[100].gpus.pop_back();  // one host of leaf 3
  const FabricTree tree = fabric_tree(topology);
  ASSERT_EQ(tree.roots[0].below.size(), 2U);
  EXPECT_EQ(tree.roots[0].below[0].switches.size(), 31U);
  EXPECT_EQ(tree.roots[0].below[1].switches.size(), 1U);
  ASSERT_EQ(tree.roots[0].below[1].hosts.size(), 2U);
  EXPECT_EQ(tree.roots[0].below[1].hosts[1].hosts, std::vector<std::size_t>{100});
}

TEST(FabricTree, EndsWithARestOfManyKinds) {
  Topology topology = machine("640 host, 8 h100, 32 host/leaf");
  for (std::size_t leaf = 0; leaf < 20; ++leaf) {  // each leaf has a host of its own kind
    Host& host = topology.hosts[32 * leaf];
    for (std::size_t i = 0; i < leaf; ++i) {
      Nic nic;
      nic.name = fmt::format("nic{}", i);
      host.nics.push_back(nic);
    }
  }
  const FabricTree tree = fabric_tree(topology);
  const auto& leaves = tree.roots[0].below;
  EXPECT_LE(leaves.size(), DrawingLimits().kinds);
  EXPECT_FALSE(leaves.back().alike);
  std::size_t hosts = 0;
  for (const SwitchEntry& entry : leaves) hosts += entry.all_hosts;
  EXPECT_EQ(hosts, 640U);
}

TEST(FabricTree, KeepsHostsWithoutAPlace) {
  Topology topology = machine("3 host, 8 h100");
  topology.fabric = {};
  const FabricTree tree = fabric_tree(topology);
  EXPECT_TRUE(tree.roots.empty());
  EXPECT_EQ(tree.unplaced.size(), 3U);
  topology = machine("200 host, 8 h100");
  topology.fabric = {};
  EXPECT_EQ(fabric_tree(topology).unplaced.size(), 1U);
}

TEST(HostKind, CountsModelsAndRates) {
  const Topology topology = machine("8 h100, 8 ndr");
  EXPECT_EQ(host_kind(topology.hosts[0]), "8 x H100 80GB HBM3");
  EXPECT_EQ(network_kind(topology.hosts[0]), "8 x 400 Gb/s");
  EXPECT_EQ(host_kind(Host()), "GPUs unknown");
}

}  // namespace
}  // namespace topolaunch::topo::draw
