// SPDX-License-Identifier: Apache-2.0
#include "topo/slurm_fabric.h"

#include <gmock/gmock.h>

#include "tests/topo/facts.h"

namespace topolaunch::topo {
namespace {

using ::testing::HasSubstr;

std::vector<std::string> some(int count, const std::string& stem) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(stem + std::to_string(i));
  return names;
}

TEST(SlurmFabric, PutsBlocksIntoAggregatesOfNeighbours) {
  SlurmFabric slurm("t.conf");
  for (int b = 1; b <= 5; ++b) {
    const auto name = "b" + std::to_string(b);
    slurm.add_block(b, name, some(b == 5 ? 3 : 4, name + "-"));
  }
  slurm.set_block_sizes(6, {4, 8, 16});
  const auto topology = assembled(*std::move(slurm).facts(""));
  const auto& fabric = topology.fabric;
  EXPECT_EQ(topology.hosts.size(), 19U);
  std::vector<std::string> names;
  for (const auto& box : fabric.switches) names.push_back(box.name);
  EXPECT_THAT(names,
              ::testing::ElementsAre("b1", "b2", "b3", "b4", "b5", "b[1-2]", "b[3-4]", "b[1-4]"));
  EXPECT_EQ(fabric.switches[0].parent, 5);
  EXPECT_EQ(fabric.switches[5].parent, 7);
  EXPECT_EQ(fabric.switches[4].parent, -1);  // the fifth has no neighbour
  EXPECT_EQ(fabric.switches[7].level, 2);
  EXPECT_EQ(fabric.level_names, (std::vector<std::string>{"block", "blocks", "blocks2"}));
  EXPECT_EQ(count_of(topology, "slurm-block-small"), 1);
}

TEST(SlurmFabric, FindsBlockSizesThatSlurmRefuses) {
  for (const auto& sizes : std::vector<std::vector<int>>{{}, {0}, {4, 12}, {4, 4}, {4, 6}}) {
    SlurmFabric slurm("t.conf");
    slurm.add_block(1, "b", {"h"});
    slurm.set_block_sizes(2, sizes);
    EXPECT_EQ(count_of(assembled(*std::move(slurm).facts("")), "slurm-block-sizes"), 1);
  }
}

TEST(SlurmFabric, SaysWhenATorusHasNotAsManyHostsAsPlaces) {
  SlurmFabric slurm("t.conf");
  slurm.add_torus(1, "pod", {2, 2, 2}, some(7, "q"));
  const auto topology = assembled(*std::move(slurm).facts(""));
  EXPECT_EQ(count_of(topology, "slurm-torus-size"), 1);
  EXPECT_EQ(topology.fabric.level_names, std::vector<std::string>{"torus"});
}

TEST(SlurmFabric, RefusesNothingAndNamesTheFirstFinding) {
  SlurmFabric slurm("t.conf");
  slurm.add_switch(3, "l1", {}, {});
  const auto facts = std::move(slurm).facts("a line is like X");
  ASSERT_FALSE(facts.has_value());
  EXPECT_EQ(facts.error().line, 3);
  EXPECT_THAT(facts.error().message, HasSubstr("switch l1 has neither"));
  EXPECT_EQ(facts.error().next, "a line is like X");
}

}  // namespace
}  // namespace topolaunch::topo
