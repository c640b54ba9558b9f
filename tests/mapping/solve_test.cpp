// SPDX-License-Identifier: Apache-2.0
#include "mapping/solver.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "tests/mapping/machines.h"
#include "mapping/cost.h"
#include "mapping/parallel.h"
#include "mapping/patterns.h"
#include "mapping/random.h"
#include "mapping/seat_count.h"
#include "mapping/seats.h"
#include "mapping/solver/solvers.h"

namespace topolaunch::mapping {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

Constraints of(int ranks) {
  Constraints constraints;
  constraints.ranks = ranks;
  return constraints;
}

Solution solved(const topo::Topology& topology, const RankGraph& graph, Constraints constraints = {}) {
  constraints.ranks = graph.ranks;
  auto solution = solve(topology, graph, constraints);
  EXPECT_TRUE(solution) << solution.error().text();
  return solution ? *solution : Solution();
}

std::vector<Seat> seats_of(const Solution& solution) {
  std::vector<Seat> seats;
  for (const auto& place : solution.placement) seats.push_back(place.seat);
  return seats;
}

TEST(Solve, ClaimsNoGainWhereThereIsNone) {
  const struct {
    const char* what;
    topo::Topology topology;
    int ranks;
    const char* why;
  } rows[] = {
      {"NVSwitch, all GPUs", single(nvswitch_host("h")), 8, "NVSwitch"},
      {"NVSwitch, four of eight", single(nvswitch_host("h")), 4, "NVSwitch"},
      {"NVSwitch A100", single(nvswitch_host("h", 8, 80)), 8, "NVSwitch"},
      {"cube mesh, all GPUs", single(cube_mesh_host("h")), 8, "same rings"},
      {"one rank", single(nvswitch_host("h")), 1, "one rank"},
      {"no GPU", single(cpu_host("c", 4)), 4, "without GPUs"},
      {"NVSwitch hosts on a fabric that is not oversubscribed", leaf_spine(nvswitch_host("h"), 2, 2, 1), 32,
       "no placement that was tried is better"},
  };
  for (const auto& row : rows) {
    const auto graph = world_allreduce(row.ranks);
    const auto solution = solved(row.topology, graph);
    EXPECT_FALSE(solution.gain.possible) << row.what;
    EXPECT_THAT(solution.gain.why, HasSubstr("no gain possible")) << row.what;
    EXPECT_THAT(solution.gain.why, HasSubstr(row.why)) << row.what;
    EXPECT_EQ(solution.gain.seconds.count(), 0) << row.what;
    for (int r = 0; r < row.ranks; ++r) {
      const int per_host = std::max(1, count_of(row.topology.hosts[0].gpus));
      const int host = row.topology.hosts[0].gpus.empty() ? 0 : r / per_host;
      EXPECT_EQ(solution.placement[ix(r)].seat.host, host) << row.what;
      EXPECT_EQ(solution.placement[ix(r)].seat.slot, r - host * per_host) << row.what;
    }
  }
}

TEST(Solve, ChoosesTheFourGpusOfACubeMeshThatAreBestTogether) {
  auto constraints = of(4);
  // The first four are the best four; with GPU 1 busy the given order is not.
  const auto topology = single(cube_mesh_host("dgx1v"));
  const auto free = solved(topology, world_allreduce(4), constraints);
  EXPECT_FALSE(free.gain.possible);
  constraints.excluded_gpus = {{0, 1}};
  const auto busy = solved(topology, world_allreduce(4), constraints);
  EXPECT_TRUE(busy.gain.possible);
  std::set<int> used;
  for (const auto& place : busy.placement) used.insert(place.seat.gpu);
  EXPECT_EQ(used, (std::set<int>{4, 5, 6, 7}));
  EXPECT_THAT(busy.changes, Contains("gpu-choice"));
  EXPECT_GT(busy.given.seconds / busy.solution.seconds, 1.5);
}

TEST(Solve, PutsTensorPairsOnDoubleLinks) {
  const auto topology = single(cube_mesh_host("dgx1v"));
  const auto graph = graph_from_parallel("tp=2,dp=4", "", "tp=4GiB,dp=64MiB");
  ASSERT_TRUE(graph);
  const auto solution = solved(topology, *graph);
  EXPECT_TRUE(solution.gain.possible);
  const std::set<std::pair<int, int>> doubles = {{0, 3}, {0, 4}, {1, 2}, {1, 5}, {2, 3}, {4, 7}, {5, 6}, {6, 7}};
  for (int r = 0; r < 8; r += 2) {
    const int a = solution.placement[ix(r)].seat.gpu, b = solution.placement[ix(r + 1)].seat.gpu;
    EXPECT_TRUE(doubles.count({std::min(a, b), std::max(a, b)})) << a << " " << b;
  }
  EXPECT_THAT(solution.changes, Contains("rank-order"));
}

// Hosts listed across the leaves: the order along the ring is what pays.
TEST(Solve, OrdersHostsAlongAnOversubscribedFabric) {
  auto topology = leaf_spine(nvswitch_host("h"), 2, 4, 8);
  topology.fabric.leaf_of_host = {0, 1, 0, 1, 0, 1, 0, 1};
  const auto solution = solved(topology, world_allreduce(64));
  EXPECT_TRUE(solution.gain.possible);
  EXPECT_THAT(solution.changes, Contains("host-order"));
  EXPECT_GT(solution.given.seconds / solution.solution.seconds, 1.9);
}

TEST(Solve, KeepsTensorGroupsOnOneHost) {
  const auto topology = leaf_spine(nvswitch_host("h"), 2, 2, 4);
  // Pipeline fastest: the given order splits every tensor group over the hosts.
  const auto graph = graph_from_parallel("tp=8,pp=4", "pp-tp-cp-ep-dp", "");
  ASSERT_TRUE(graph);
  const auto solution = solved(topology, *graph);
  EXPECT_TRUE(solution.gain.possible);
  for (const auto& group : graph->groups) {
    if (group.dimension != "tp") continue;
    std::set<int> hosts;
    for (const int rank : group.members) hosts.insert(solution.placement[ix(rank)].seat.host);
    EXPECT_EQ(hosts.size(), 1U);
  }
  EXPECT_THAT(solution.changes, Contains("groups"));
}

TEST(Solve, TakesTheCompactHosts) {
  // Four hosts of 8 asked of 3 leaves; two hosts of leaf 0 are out, so leaf 1 holds all.
  const auto topology = leaf_spine(nvswitch_host("h"), 3, 4, 8);
  auto constraints = of(32);
  constraints.excluded_hosts = {"host0", "host1"};
  const auto solution = solved(topology, world_allreduce(32), constraints);
  EXPECT_TRUE(solution.gain.possible);
  for (const auto& place : solution.placement) EXPECT_EQ(topology.fabric.leaf_of_host[ix(place.seat.host)], 1);
}

TEST(Solve, ReportsWhatDoesNotFit) {
  const auto solution = solve(single(nvswitch_host("h")), world_allreduce(12), of(12));
  ASSERT_FALSE(solution);
  EXPECT_EQ(solution.error().code, Code::infeasible);
  EXPECT_THAT(solution.error().text(), HasSubstr("12 ranks, 8 seats: 1 host with 8 GPUs"));
  EXPECT_FALSE(solve(single(nvswitch_host("h")), world_allreduce(4), of(8)));
}

TEST(Solve, GivesLocalRanksInRankOrder) {
  const auto graph = graph_from_pattern("stencil2d", 16);
  ASSERT_TRUE(graph);
  const auto solution = solved(tree({4, 2, 2}, {1, 10, 100}), *graph);
  std::vector<int> next(4, 0);
  for (const auto& place : solution.placement) EXPECT_EQ(place.local_rank, next[ix(place.seat.host)]++);
}

/// Random machines, graphs and constraints.
struct Case {
  topo::Topology topology;
  RankGraph graph;
  Constraints constraints;
};

Case random_case(Random& random) {
  const auto below = [&](int n) { return static_cast<int>(random.below(static_cast<std::uint64_t>(n))); };
  Case c;
  const int kind = below(4);
  const int leaves = 1 + below(2), per_leaf = 1 + below(2);
  const topo::Host host = kind == 0   ? nvswitch_host("h", 1 + below(4))
                          : kind == 1 ? cube_mesh_host("h")
                          : kind == 2 ? cpu_host("h", 1 + below(2))
                                      : nvswitch_host("h", 2, 80);
  c.topology = leaf_spine(host, leaves, per_leaf, 1 << below(4));
  const int seats = leaves * per_leaf * default_slots(host);
  const int n = 1 + below(std::min(seats, 12));
  c.graph.ranks = n;
  if (n > 1 && below(2) == 0) {
    c.graph = world_allreduce(n, Bytes(1 + below(1 << 28)));
  } else {
    for (int i = 0; i < 2 * n; ++i) {
      const int a = below(n), b = below(n);
      if (a != b) c.graph.edges.push_back({std::min(a, b), std::max(a, b), 1 + static_cast<std::int64_t>(random.below(std::uint64_t{1} << 40))});
    }
  }
  c.constraints.ranks = n;
  c.constraints.effort = Constraints::Effort::fast;
  c.constraints.seed = random.next();
  if (below(3) == 0) c.constraints.objective = Constraints::Objective::hop_bytes;
  if (below(3) == 0)
    c.constraints.pins.push_back({below(n), c.topology.hosts[ix(below(count_of(c.topology.hosts)))].name,
                                  kind == 2 ? -1 : below(count_of(host.gpus))});
  if (below(4) == 0) c.constraints.excluded_hosts.push_back(c.topology.hosts[ix(below(count_of(c.topology.hosts)))].name);
  if (below(4) == 0 && kind != 2) c.constraints.excluded_gpus.push_back({0, 0});
  if (below(5) == 0) c.constraints.spread_level = "host";
  if (below(5) == 0) c.constraints.prefer_level = "leaf";
  return c;
}

TEST(Solve, HoldsItsPromisesOnRandomJobs) {
  Random random(21);
  int solved_count = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto c = random_case(random);
    const auto pool = seat_pool(c.topology, c.constraints);
    const auto solution = solve(c.topology, c.graph, c.constraints);
    if (!pool) {
      ASSERT_FALSE(solution) << i;
      continue;
    }
    ASSERT_TRUE(solution) << i << solution.error().text();
    ++solved_count;
    const auto seats = seats_of(*solution);
    ASSERT_EQ(placement_fault(c.topology, *pool, c.constraints, seats), "") << i;
    // Never worse than the given order, nor than the simple orders, in the chosen objective.
    const CostModel model(c.topology, c.graph);
    const auto score = model.score(seats);
    ASSERT_FALSE(better(model.score(given_seats(c.topology, *pool, c.constraints)), score, c.constraints.objective)) << i;
    const auto problem = Problem::make(c.topology, c.graph, c.constraints);
    ASSERT_TRUE(problem);
    const auto simple = make_orders()->place(*problem);
    ASSERT_TRUE(simple);
    ASSERT_FALSE(better(model.score(*simple), score, c.constraints.objective)) << i;
    // What is reported is what was placed.
    ASSERT_NEAR(solution->solution.seconds.count(), score.seconds, score.seconds * 1e-12) << i;
    if (i % 10 == 0) {
      const auto again = solve(c.topology, c.graph, c.constraints);
      ASSERT_TRUE(again);
      ASSERT_EQ(seats_of(*again), seats) << i;
    }
  }
  EXPECT_GT(solved_count, 100);
}

TEST(Solve, WhatIsHiddenIsNotFree) {
  const auto time = Constraints::Objective::time;
  const CostModel::Score short_hidden{1.58, 1, 0, 0.3}, long_hidden{1.57994, 1, 0, 1.5}, much_faster{1.5, 1, 0, 1.5};
  EXPECT_TRUE(better(short_hidden, long_hidden, time));
  EXPECT_TRUE(better(much_faster, short_hidden, time));
}

TEST(Solve, ExhaustiveIsTheBestOfAll) {
  Random random(22);
  for (int i = 0; i < 60; ++i) {
    auto c = random_case(random);
    if (c.graph.ranks > 4 || count_of(c.topology.hosts) > 2) continue;
    c.constraints.effort = Constraints::Effort::standard;
    const auto pool = seat_pool(c.topology, c.constraints);
    if (!pool || !fits_exhaustive(*pool, c.graph, c.constraints)) continue;
    const auto problem = Problem::make(c.topology, c.graph, c.constraints);
    ASSERT_TRUE(problem);
    const auto all = make_exhaustive()->place(*problem);
    const auto tree = make_hierarchy()->place(*problem);
    ASSERT_TRUE(all && tree);
    const CostModel model(c.topology, c.graph);
    EXPECT_FALSE(better(model.score(*tree), model.score(*all), c.constraints.objective)) << i;
  }
}

}  // namespace
}  // namespace topolaunch::mapping
