// SPDX-License-Identifier: Apache-2.0
#include "topo/draw/pcie_tree.h"

#include <gtest/gtest.h>

#include "tests/topo/facts.h"

namespace topolaunch::topo::draw {
namespace {

Gpu gpu(int index, std::initializer_list<const char*> path) {
  Gpu out;
  out.index = index;
  for (const char* one : path) out.pcie_path.push_back(pci(one));
  return out;
}

TEST(PcieTree, GroupsDevicesBelowOneSwitch) {
  const Gpu a = gpu(0, {"00:01.0", "01:00.0", "02:00.0"}),
            b = gpu(1, {"00:01.0", "01:00.0", "02:01.0"});
  const Gpu c = gpu(2, {"00:03.0"});
  const PcieGroup tree = pcie_tree({&a, &b, &c}, {});
  ASSERT_EQ(tree.groups.size(), 1U);
  EXPECT_EQ(tree.groups[0].bridge, pci("01:00.0"));  // not the ports above and below it
  EXPECT_EQ(tree.groups[0].gpus, (std::vector<const Gpu*>{&a, &b}));
  EXPECT_EQ(tree.gpus, std::vector<const Gpu*>{&c});
}

TEST(PcieTree, HasNoGroupOfOne) {
  const Gpu a = gpu(0, {"00:01.0", "01:00.0"}), b = gpu(1, {"00:02.0"});
  const PcieGroup tree = pcie_tree({&a, &b}, {});
  EXPECT_TRUE(tree.groups.empty());
  EXPECT_EQ(tree.gpus.size(), 2U);
}

TEST(PcieTree, NestsSwitches) {
  const Gpu a = gpu(0, {"00:01.0", "01:00.0"}), b = gpu(1, {"00:01.0", "01:00.0"});
  const Gpu c = gpu(2, {"00:01.0"});
  const PcieGroup tree = pcie_tree({&a, &b, &c}, {});
  ASSERT_EQ(tree.groups.size(), 1U);
  EXPECT_EQ(tree.groups[0].gpus, std::vector<const Gpu*>{&c});
  ASSERT_EQ(tree.groups[0].groups.size(), 1U);
  EXPECT_EQ(tree.groups[0].groups[0].gpus.size(), 2U);
}

}  // namespace
}  // namespace topolaunch::topo::draw
