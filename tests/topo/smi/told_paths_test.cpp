// SPDX-License-Identifier: Apache-2.0
#include "topo/smi/told_paths.h"

#include <gtest/gtest.h>

namespace topolaunch::topo::smi {
namespace {

using R = PciRelation;

Host host_of(const Relations& relations) {
  Host host;
  const auto paths = told_paths(relations);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    Gpu gpu;
    gpu.index = static_cast<int>(i);
    gpu.pcie_path = paths[i];
    host.gpus.push_back(gpu);
  }
  return host;
}

TEST(ToldPaths, GiveEveryWordBack) {
  // Two on one switch, a third on the next switch of the tree, one on another tree of the bridge,
  // one below another bridge of the node, one on the other socket.
  const Relations relations{
      {R::same, R::pix, R::pxb, R::phb, R::node, R::sys},
      {R::pix, R::same, R::pxb, R::phb, R::node, R::sys},
      {R::pxb, R::pxb, R::same, R::phb, R::node, R::sys},
      {R::phb, R::phb, R::phb, R::same, R::node, R::sys},
      {R::node, R::node, R::node, R::node, R::same, R::sys},
      {R::sys, R::sys, R::sys, R::sys, R::sys, R::same},
  };
  const Host host = host_of(relations);
  for (std::size_t a = 0; a < relations.size(); ++a) {
    for (std::size_t b = 0; b < relations.size(); ++b) {
      EXPECT_EQ(host.relation(host.gpus[a], host.gpus[b]), relations[a][b]) << a << " " << b;
    }
  }
}

TEST(ToldPaths, SayNothingOfADeviceThatNoWordPlaces) {
  const auto paths = told_paths({{R::same, R::unknown}, {R::unknown, R::same}});
  EXPECT_TRUE(paths[0].empty());
  EXPECT_TRUE(paths[1].empty());
}

TEST(ToldPaths, GiveThirtyTreesOfABridgeTheirOwnAddress) {
  const Relations relations(40, std::vector<R>(40, R::phb));
  const Host host = host_of(relations);
  for (std::size_t b = 1; b < 40; ++b) {
    EXPECT_EQ(host.relation(host.gpus[0], host.gpus[b]), R::phb);
    EXPECT_NE(host.gpus[0].pcie_path[0], host.gpus[b].pcie_path[0]);
  }
  EXPECT_TRUE(told(host.gpus[0].pcie_path[0]));
  EXPECT_FALSE(told(PciAddress{0x10000, 1, 0, 0}));
}

}  // namespace
}  // namespace topolaunch::topo::smi
