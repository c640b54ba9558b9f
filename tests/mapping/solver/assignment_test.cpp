// SPDX-License-Identifier: Apache-2.0
#include "mapping/solver/assignment.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>
#include <numeric>

#include "mapping/index.h"
#include "mapping/random.h"
#include "mapping/solver/host_clusters.h"
#include "tests/mapping/machines.h"

namespace topolaunch::mapping {
namespace {

/// Hosts of `slots` seats on a ring of `width` times `height`, closed both ways, hops as distances.
topo::Topology torus(int width, int height, int slots) {
  auto topology = testing::tree({slots, width * height}, {0, 1});
  topology.fabric = {};
  const auto around = [](int a, int b, int n) {
    return std::min(std::abs(a - b), n - std::abs(a - b));
  };
  for (int a = 0; a < width * height; ++a) {
    topology.fabric.leaf_of_host.push_back(-1);
    for (int b = 0; b < width * height; ++b)
      topology.fabric.host_distances.push_back(around(a % width, b % width, width) +
                                               around(a / width, b / width, height));
  }
  return topology;
}

/// Everybody talks to both neighbours in a torus of ranks, which are numbered at random.
RankGraph shuffled_stencil(int width, int height) {
  RankGraph graph;
  graph.ranks = width * height;
  std::vector<int> name(ix(graph.ranks));
  std::iota(name.begin(), name.end(), 0);
  Random random(7);
  random.shuffle(name);
  const auto add = [&](int a, int b) {
    a = name[ix(a)], b = name[ix(b)];
    graph.edges.push_back({std::min(a, b), std::max(a, b), 1000});
  };
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      add(y * width + x, y * width + (x + 1) % width);
      add(y * width + x, (y + 1) % height * width + x);
    }
  return graph;
}

Result<Solution> solved(const topo::Topology& topology, const RankGraph& graph) {
  Constraints constraints;
  constraints.ranks = graph.ranks;
  return solve(topology, graph, constraints);
}

TEST(Assignment, FindsTheTorusInAShuffledStencil) {
  for (const auto& [width, height] : {std::pair(4, 3), std::pair(6, 4), std::pair(8, 5)}) {
    const auto graph = shuffled_stencil(width, height);
    const auto solution = solved(torus(width, height, 1), graph);
    ASSERT_TRUE(solution) << solution.error().text();
    // Every message over one hop: nothing is less.
    EXPECT_DOUBLE_EQ(solution->solution.hop_bytes, 1000.0 * count_of(graph.edges))
        << width << "x" << height;
  }
}

TEST(Assignment, HopBytesAreThoseOfTheMatrix) {
  auto topology = torus(3, 1, 1);
  topology.fabric.host_distances = {0, 2, 7, 2, 0, 11, 7, 11, 0};
  RankGraph graph;
  graph.ranks = 3;
  graph.edges = {{0, 1, 10}, {1, 2, 100}};
  const CostModel model(topology, graph);
  EXPECT_DOUBLE_EQ(model.score({{0, -1, 0}, {1, -1, 0}, {2, -1, 0}}).hop_bytes, 10 * 2 + 100 * 11);
  const auto solution = solved(topology, graph);
  ASSERT_TRUE(solution);
  EXPECT_DOUBLE_EQ(solution->solution.hop_bytes, 10 * 7 + 100 * 2);
}

TEST(Assignment, LargeJobsComeNearTheLeast) {
  const auto graph = shuffled_stencil(24, 20);
  const auto one = solved(torus(24, 20, 1), graph);
  ASSERT_TRUE(one);
  EXPECT_LT(one->solution.hop_bytes, 1.9 * 1000.0 * count_of(graph.edges));
  // Four ranks a host: most messages stay inside.
  const auto four = solved(torus(12, 10, 4), graph);
  ASSERT_TRUE(four);
  EXPECT_LT(four->solution.hop_bytes, 1.0 * 1000.0 * count_of(graph.edges));
}

TEST(Assignment, HalvesKeepNearHostsTogether) {
  // Eight hosts in a row, named at random.
  const std::vector<int> at = {3, 7, 0, 5, 1, 6, 2, 4};
  auto topology = testing::tree({1, 8}, {0, 1});
  topology.fabric = {};
  for (const int a : at)
    for (const int b : at) topology.fabric.host_distances.push_back(std::abs(a - b));
  const auto levels = clusters_by_distance(topology);
  ASSERT_EQ(levels.levels.size(), 3U);
  for (std::size_t l = 0; l < 3; ++l)
    for (int a = 0; a < 8; ++a)
      for (int b = 0; b < 8; ++b)
        EXPECT_EQ(levels.levels[l].block[ix(a)] == levels.levels[l].block[ix(b)],
                  at[ix(a)] >> l == at[ix(b)] >> l)
            << l;
}

}  // namespace
}  // namespace topolaunch::mapping
