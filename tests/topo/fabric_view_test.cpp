// SPDX-License-Identifier: Apache-2.0
#include "topo/fabric_view.h"

#include <gtest/gtest.h>

#include "tests/topo/draw/sheets.h"

namespace topolaunch::topo {
namespace {

TEST(FabricView, KnowsWhatHangsBelow) {
  Topology topology = draw::machine("16 host, 8 h100, 8 ndr, 4 host/leaf, 4:1");
  topology.fabric.leaf_of_host[15] = -1;
  const FabricView view(topology);
  ASSERT_EQ(view.roots().size(), 1U);
  const std::size_t root = view.roots()[0];
  EXPECT_EQ(view.children(root).size(), 4U);
  EXPECT_EQ(view.hosts(view.children(root)[1]), (std::vector<std::size_t>{4, 5, 6, 7}));
  EXPECT_EQ(view.hosts_below(root).size(), 15U);
  EXPECT_EQ(view.unplaced(), std::vector<std::size_t>{15});
}

TEST(FabricView, ComparesWhatComesInWithWhatGoesUp) {
  const Topology topology = draw::machine("16 host, 8 h100, 8 ndr, 4 host/leaf, 4:1");
  const FabricView view(topology);
  const std::size_t leaf = view.children(view.roots()[0])[0];
  EXPECT_EQ(view.host_rate(0), Bandwidth::gigabits_per_second(3200));
  EXPECT_EQ(view.rate_below(leaf), Bandwidth::gigabits_per_second(12800));
  EXPECT_EQ(view.oversubscription(leaf), "4:1");
  EXPECT_EQ(view.oversubscription(view.roots()[0]), "");
}

TEST(FabricView, CountsInTheLevelsOwnWords) {
  Topology topology = draw::machine("16 host, 8 h100, 4 host/leaf");
  topology.fabric.level_names = {"leaf", "blocks", "blocks2", "torus"};
  const FabricView view(topology);
  EXPECT_EQ(view.counted_level(4, 0), "4 leaves");
  EXPECT_EQ(view.counted_level(1, 0), "1 leaf");
  EXPECT_EQ(view.counted_level(2, 1), "2 of level blocks");
  EXPECT_EQ(view.counted_level(1, 2), "1 of level blocks2");
  EXPECT_EQ(view.counted_level(2, 3), "2 toruses");
  EXPECT_EQ(view.counted_level(2, 7), "2 of level7");
}

}  // namespace
}  // namespace topolaunch::topo
