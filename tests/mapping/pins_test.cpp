// SPDX-License-Identifier: Apache-2.0
#include "mapping/pins.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "mapping/index.h"
#include "mapping/parallel.h"
#include "mapping/patterns.h"
#include "mapping/problem.h"
#include "mapping/random.h"
#include "mapping/solver.h"
#include "mapping/solver/host_choice.h"
#include "mapping/solver/solvers.h"
#include "tests/mapping/machines.h"

namespace topolaunch::mapping {
namespace {

using ::testing::ElementsAre;
using testing::leaf_spine;
using testing::nvswitch_host;

RankGraph parallel(const std::string& text, int ranks) {
  auto graph = graph_from_parallel(text, "", "", ranks);
  EXPECT_TRUE(graph);
  return std::move(*graph);
}

double seconds(const topo::Topology& topology, const RankGraph& graph,
               std::vector<Constraints::Pin> pins) {
  Constraints constraints;
  constraints.ranks = graph.ranks;
  constraints.pins = std::move(pins);
  const auto solution = solve(topology, graph, constraints);
  EXPECT_TRUE(solution) << solution.error().text();
  if (!solution) return -1;
  for (const auto& pin : constraints.pins)
    EXPECT_EQ(topology.hosts[ix(solution->placement[ix(pin.rank)].seat.host)].name, pin.host);
  return solution->solution.hop_bytes > 0 && solution->solution.seconds.count() == 0
             ? solution->solution.hop_bytes
             : solution->solution.seconds.count();
}

TEST(Pins, ToAnyOfLikeHostsCostNothing) {
  const auto few = leaf_spine(nvswitch_host("h", 4), 1, 3, 1);
  const auto eight = leaf_spine(nvswitch_host("h"), 2, 4, 2);
  const auto two_axes = parallel("tp=4,dp=2", 8);
  const auto large = parallel("tp=8,dp=4", 32);
  const double free_few = seconds(few, two_axes, {}), free_large = seconds(eight, large, {});
  for (const char* host : {"host0", "host1", "host2"})
    for (const int rank : {0, 3, 5})
      EXPECT_DOUBLE_EQ(seconds(few, two_axes, {{rank, host, -1}}), free_few) << host << rank;
  EXPECT_DOUBLE_EQ(seconds(eight, large, {{0, "host7", -1}, {8, "host6", -1}}), free_large);
  EXPECT_DOUBLE_EQ(seconds(eight, large, {{0, "host3", -1}, {31, "host0", -1}}), free_large);
  EXPECT_DOUBLE_EQ(seconds(eight, large, {{17, "host5", 3}}), free_large);
}

TEST(Pins, OfAStencilOnATree) {
  const auto topology = testing::tree({4, 4, 4}, {1, 10, 100});
  const auto graph = graph_from_pattern("stencil2d", 16);
  ASSERT_TRUE(graph);
  const double free = seconds(topology, *graph, {});
  EXPECT_DOUBLE_EQ(seconds(topology, *graph, {{0, "host15", -1}}), free);
  EXPECT_DOUBLE_EQ(seconds(topology, *graph, {{5, "host9", -1}, {10, "host10", -1}}), free);
}

TEST(Pins, SearchAroundThemIsNearTheBestOfAll) {
  Random random(5);
  const auto topology = testing::tree({2, 2, 2}, {1, 10, 100});
  for (int i = 0; i < 20; ++i) {
    RankGraph graph;
    graph.ranks = 6;
    for (int a = 0; a < 6; ++a)
      for (int b = a + 1; b < 6; ++b)
        if (random.below(2))
          graph.edges.push_back({a, b, 1 + static_cast<std::int64_t>(random.below(9))});
    if (graph.edges.empty()) continue;
    Constraints constraints;
    constraints.ranks = 6;
    constraints.pins = {{0, fmt::format("host{}", random.below(4)), -1},
                        {1, fmt::format("host{}", random.below(4)), -1}};
    const auto problem = Problem::make(topology, graph, constraints);
    ASSERT_TRUE(problem);
    const auto best = make_exhaustive()->place(*problem);
    constraints.effort = Constraints::Effort::fast;  // too little for all placements
    const auto solved = solve(topology, graph, constraints);
    ASSERT_TRUE(best && solved);
    EXPECT_LE(solved->solution.hop_bytes, 1.1 * problem->model.score(*best).hop_bytes) << i;
  }
}

TEST(Pins, BlocksComeAlongWhereTheyAreOfOneShape) {
  const auto topology = testing::tree({2, 2, 2}, {1, 10, 100});
  const auto levels = fabric_levels(topology);
  Constraints constraints;
  constraints.ranks = 4;
  const auto pool = seat_pool(topology, constraints);
  ASSERT_TRUE(pool);
  const auto hosts_of = [&](const std::vector<Constraints::Pin>& pins) {
    auto pinned = constraints;
    pinned.pins = pins;
    auto seats = given_seats(topology, *pool, constraints);
    move_blocks_to_pins(topology, levels, *pool, pinned, seats);
    std::vector<int> hosts;
    for (const auto& seat : seats) hosts.push_back(seat.host);
    return hosts;
  };
  EXPECT_THAT(hosts_of({{0, "host3", -1}}), ElementsAre(3, 3, 2, 2));
  EXPECT_THAT(hosts_of({{0, "host1", -1}}), ElementsAre(1, 1, 0, 0));
  EXPECT_THAT(hosts_of({{0, "host0", -1}, {2, "host3", -1}}), ElementsAre(0, 0, 3, 3));
  // Two of one host that belong to two: the second goes alone.
  EXPECT_THAT(hosts_of({{0, "host2", -1}, {1, "host0", -1}}), ElementsAre(2, 0, 3, 3));
}

TEST(Pins, HostsWithPinsAreAmongTheCompactChoice) {
  const auto topology = leaf_spine(nvswitch_host("h", 4), 2, 3, 1);
  const auto levels = fabric_levels(topology);
  const std::vector<int> capacity(6, 4);
  EXPECT_THAT(compact_hosts(levels, capacity, 8), ElementsAre(0, 1));
  EXPECT_THAT(compact_hosts(levels, capacity, 8, {0, 0, 0, 0, 0, 1}), ElementsAre(5, 3));
  EXPECT_THAT(compact_hosts(levels, capacity, 14, {0, 0, 0, 0, 1, 1}), ElementsAre(4, 5, 3, 0));
  EXPECT_THAT(compact_hosts(levels, capacity, 8, {0, 1, 0, 0, 1, 0}), ElementsAre(1, 4));
  EXPECT_THAT(host_candidates(levels, capacity, 8, 4, {0, 0, 0, 0, 0, 1}).front().hosts,
              ElementsAre(5, 3));
}

}  // namespace
}  // namespace topolaunch::mapping
