// SPDX-License-Identifier: Apache-2.0
#include "mapping/patterns.h"

#include <gmock/gmock.h>

namespace topolaunch::mapping {
namespace {

TEST(Patterns, CollectivesHaveNcclsAndMpisSpellings) {
  for (const char* name : {"allreduce", "all_reduce", "AllReduce", "all-reduce", "ALLREDUCE"}) {
    const auto graph = graph_from_pattern(name, 4);
    ASSERT_TRUE(graph) << name;
    EXPECT_EQ(graph->groups.front().collective, Collective::allreduce);
  }
  EXPECT_EQ(graph_from_pattern("reduce_scatter", 4)->groups.front().collective, Collective::reduce_scatter);
  EXPECT_EQ(graph_from_pattern("all_to_all", 4)->groups.front().collective, Collective::alltoall);
}

TEST(Patterns, OneRankExchangesNothing) {
  EXPECT_TRUE(world_allreduce(1).groups.empty());
  EXPECT_EQ(world_allreduce(8).groups.front().members.size(), 8U);
}

TEST(Patterns, AStencilIsAsSquareAsItCanBe) {
  const auto graph = graph_from_pattern("stencil2d", 12);
  ASSERT_TRUE(graph);
  EXPECT_EQ(graph->edges.size(), 3U * 3 + 4 * 2);  // 4 x 3: 4 rows of 2 edges, 3 columns of 3
  EXPECT_THAT(graph->origin, ::testing::HasSubstr("4x3"));
  const auto cube = graph_from_pattern("stencil3d", 27);
  ASSERT_TRUE(cube);
  EXPECT_EQ(cube->edges.size(), 54U);
}

TEST(Patterns, TheLastAxisOfAShapeVariesFastest) {
  const auto graph = graph_from_pattern("stencil2d=2x3", 6, Bytes(5));
  ASSERT_TRUE(graph);
  EXPECT_EQ(graph->edges.front().a, 0);
  EXPECT_EQ(graph->edges.front().b, 1);
  EXPECT_EQ(graph->edges.front().bytes, 10);  // both directions
  EXPECT_EQ(graph->edges[1].b, 3);
}

TEST(Patterns, RefusesUnknownOnesAndWrongShapes) {
  for (const char* pattern : {"hypercube", "stencil2d=2x2", "stencil2d=axb", "stencil2d=4", "allreduce=2x3", ""})
    EXPECT_FALSE(graph_from_pattern(pattern, 6)) << pattern;
  EXPECT_FALSE(graph_from_pattern("ring", 0));
}

}  // namespace
}  // namespace topolaunch::mapping
