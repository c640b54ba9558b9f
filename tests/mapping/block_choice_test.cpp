// SPDX-License-Identifier: Apache-2.0
#include "mapping/block_choice.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "mapping/index.h"
#include "mapping/parallel.h"
#include "mapping/patterns.h"
#include "mapping/solver.h"
#include "tests/mapping/machines.h"

namespace topolaunch::mapping {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::leaf_spine;
using ::testing::Not;
using testing::nvswitch_host;

/// Six hosts of two GPUs, two under a leaf.
topo::Topology machine() { return leaf_spine(nvswitch_host("h", 2), 3, 2, 1); }

Constraints of(int ranks) {
  Constraints constraints;
  constraints.ranks = ranks;
  return constraints;
}

/// Ranks on each leaf, the most first.
std::vector<int> by_leaf(const topo::Topology& topology, const Solution& solution) {
  std::vector<int> ranks(3, 0);
  for (const auto& place : solution.placement)
    ++ranks[ix(topology.fabric.leaf_of_host[ix(place.seat.host)])];
  std::ranges::sort(ranks, std::greater<>());
  return ranks;
}

Result<Solution> solved(const topo::Topology& topology, const Constraints& constraints) {
  const auto graph = graph_from_pattern("allreduce", constraints.ranks);
  return solve(topology, *graph, constraints);
}

TEST(Spares, StandOutsideTheBlockThatAllRanksNeed) {
  const auto topology = machine();
  for (const auto& [level, ranks] : {std::pair("host", 2), std::pair("leaf", 4)}) {
    auto constraints = of(ranks);
    constraints.require_level = level;
    constraints.spares = 1;
    const auto solution = solved(topology, constraints);
    ASSERT_TRUE(solution) << solution.error().text();
    ASSERT_EQ(solution->spares.size(), 1U);
    for (const auto& place : solution->placement) EXPECT_NE(place.seat.host, solution->spares[0]);
  }
  auto all = of(2);
  all.require_level = "host";
  all.spares = 6;
  EXPECT_THAT(solved(topology, all).error().text(), HasSubstr("free: 5 hosts"));
}

TEST(Spares, LeaveTheSpreadEven) {
  const auto topology = machine();
  auto constraints = of(6);
  constraints.spread_level = "leaf";
  constraints.spares = 3;
  const auto solution = solved(topology, constraints);
  ASSERT_TRUE(solution) << solution.error().text();
  EXPECT_THAT(by_leaf(topology, *solution), ElementsAre(2, 2, 2));
  EXPECT_EQ(solution->spares.size(), 3U);
  EXPECT_THAT(solution->unmet, IsEmpty());
}

TEST(Spread, IsAsEvenAsTheOtherRulesAllowAndSaysSo) {
  const auto topology = machine();
  auto constraints = of(6);
  constraints.spread_level = "leaf";
  constraints.affinity = {"1-3=leaf"};
  const auto solution = solved(topology, constraints);
  ASSERT_TRUE(solution) << solution.error().text();
  EXPECT_THAT(by_leaf(topology, *solution), ElementsAre(3, 2, 1));
  EXPECT_THAT(solution->unmet, ElementsAre(HasSubstr("--spread leaf: 3 2 1 ranks in each")));
}

TEST(Spread, HasFewFullBlocksWhereItHasAny) {
  const auto topology = machine();
  auto constraints = of(6);
  constraints.spread_level = "host";
  constraints.affinity = {"1-3=leaf"};
  const auto solution = solved(topology, constraints);
  ASSERT_TRUE(solution) << solution.error().text();
  EXPECT_THAT(solution->unmet, ElementsAre(HasSubstr("--spread host: 2 1 1 1 1 0 ranks")));
}

TEST(Spread, BesideSparesIsEvenOnTheHostsThatAreLeft) {
  const auto topology = leaf_spine(nvswitch_host("h", 3), 2, 3, 1);
  auto constraints = of(6);
  constraints.spread_level = "host";
  constraints.spares = 3;
  constraints.anti_affinity = {"4-5=leaf"};
  const auto solution = solved(topology, constraints);
  ASSERT_TRUE(solution) << solution.error().text();
  std::vector<int> ranks(6, 0);
  for (const auto& place : solution->placement) ++ranks[ix(place.seat.host)];
  std::ranges::sort(ranks);
  EXPECT_THAT(ranks, ElementsAre(0, 0, 0, 2, 2, 2));
}

TEST(Spread, EvensOutWhatIsLeftBesideAFullBlock) {
  const auto topology = leaf_spine(nvswitch_host("h", 3), 2, 2, 1);
  auto constraints = of(6);
  constraints.spread_level = "host";
  constraints.affinity = {"3-5=host"};
  const auto solution = solved(topology, constraints);
  ASSERT_TRUE(solution) << solution.error().text();
  EXPECT_THAT(solution->unmet, ElementsAre(HasSubstr("--spread host: 3 1 1 1 ranks")));
}

TEST(Spread, BesideSparesCountsHalfEmptyBlocksToo) {
  const auto topology = leaf_spine(nvswitch_host("h", 1), 3, 2, 1);
  auto constraints = of(4);
  constraints.spread_level = "leaf";
  constraints.spares = 2;
  const auto solution = solved(topology, constraints);
  ASSERT_TRUE(solution) << solution.error().text();
  EXPECT_THAT(by_leaf(topology, *solution), ElementsAre(2, 1, 1));
}

TEST(Spread, OfGroupsThatStayTogetherIsEvenAmongThem) {
  const auto topology = machine();
  const auto graph = graph_from_parallel("tp=2,dp=3", "", "");
  auto constraints = of(6);
  constraints.spread_level = "leaf";
  constraints.affinity = {"tp"};
  const auto solution = solve(topology, *graph, constraints);
  ASSERT_TRUE(solution) << solution.error().text();
  EXPECT_THAT(by_leaf(topology, *solution), ElementsAre(2, 2, 2));
  EXPECT_THAT(solution->unmet, IsEmpty());
}

// The smaller leaf holds the ranks, but not in pairs on one host.
TEST(Settle, TakesTheNextBlockWhereTheRulesHold) {
  auto topology = machine();
  topology.hosts[0].gpus.resize(1);
  topology.hosts[1].gpus.push_back(topology.hosts[1].gpus.front());
  topology.hosts[1].gpus.back().uuid = "third";
  const auto graph = graph_from_parallel("tp=2,dp=2", "", "");
  ASSERT_TRUE(graph);
  auto constraints = of(4);
  constraints.require_level = "leaf";
  constraints.affinity = {"tp"};
  const auto solution = solve(topology, *graph, constraints);
  ASSERT_TRUE(solution) << solution.error().text();
  EXPECT_EQ(topology.fabric.leaf_of_host[ix(solution->placement[0].seat.host)], 1);
}

}  // namespace
}  // namespace topolaunch::mapping
