// SPDX-License-Identifier: Apache-2.0
#include "mapping/phases.h"

#include <gtest/gtest.h>

#include "mapping/parallel.h"
#include "mapping/solver.h"
#include "tests/mapping/machines.h"

namespace topolaunch::mapping {
namespace {

TEST(Phases, TellsEachDimensionApart) {
  const topo::Topology topology = testing::leaf_spine(testing::nvswitch_host("h"), 1, 2, 1);
  const auto graph = graph_from_parallel("tp=8,dp=2", "", "tp=1GiB,dp=64MiB");
  ASSERT_TRUE(graph);
  Solution solution;
  for (int rank = 0; rank < 16; ++rank) {
    solution.placement.push_back({rank, {rank / 8, rank % 8, rank % 8}, rank % 8, {}});
  }
  const auto phases = phases_of(topology, *graph, solution);
  ASSERT_EQ(phases.size(), 2U);
  EXPECT_EQ(phases[0].dimension, "tp");
  EXPECT_EQ(phases[0].groups, 2);
  EXPECT_EQ(phases[0].ranks, 8);
  EXPECT_EQ(phases[1].dimension, "dp");
  EXPECT_EQ(phases[1].groups, 8);
  EXPECT_EQ(phases[1].bytes, Bytes::mib(64));
  // The switch adds up (NVLS): each byte leaves a GPU once, over 450 GB/s at best.
  EXPECT_GT(phases[0].seconds.count(), (1 << 30) / 450e9);
  EXPECT_LT(phases[0].seconds.count(), 0.02);
  EXPECT_GT(phases[1].seconds.count(), 0);
}

}  // namespace
}  // namespace topolaunch::mapping
