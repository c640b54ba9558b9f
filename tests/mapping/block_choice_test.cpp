// SPDX-License-Identifier: Apache-2.0
#include "mapping/block_choice.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "mapping/conflict.h"
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

TEST(Conflict, NamesTheSmallestSet) {
  const auto topology = machine();
  auto constraints = of(4);
  constraints.require_level = "leaf";
  constraints.excluded_hosts = {"host5"};
  constraints.pins = {{0, "host0", -1}, {1, "host0", 1}, {2, "host3", -1}};
  const auto solution = solve(topology, *graph_from_pattern("allreduce", 4), constraints);
  ASSERT_FALSE(solution);
  EXPECT_EQ(solution.error().code, Code::infeasible);
  const auto text = solution.error().text();
  EXPECT_THAT(text, HasSubstr("--require leaf"));
  EXPECT_THAT(text, HasSubstr("--pin 2=host3"));
  EXPECT_THAT(text, Not(HasSubstr("--exclude")));
  EXPECT_THAT(text, HasSubstr("cannot hold together"));
}

TEST(Conflict, IsTheOneThatHoldsByNoMeans) {
  auto constraints = of(6);
  constraints.spread_level = "host";
  constraints.affinity = {"1-3=leaf", "@host2=leaf"};
  const auto error = solved(machine(), constraints).error();
  EXPECT_EQ(error.code, Code::infeasible);
  EXPECT_EQ(error.message, "--affinity @host2=leaf: 6 ranks, 4 seats left");
}

TEST(Conflict, OfTwoIsFoundBehindThree) {
  // 4 ranks in a leaf and host0, whose leaf has one host left; the first three don't fit either.
  auto constraints = of(4);
  constraints.require_level = "leaf";
  constraints.excluded_hosts = {"host1"};
  constraints.affinity = {"0-3=host"};
  constraints.pins = {{0, "host0", -1}};
  const auto graph = graph_from_pattern("allreduce", 4);
  const auto left = smallest_conflict(machine(), *graph, constraints);
  ASSERT_EQ(items_of(left).size(), 1U);
  EXPECT_EQ(items_of(left)[0].text, "--affinity 0-3=host");
}

TEST(Conflict, SaysByHowMuchARuleIsTooLarge) {
  auto constraints = of(6);
  constraints.affinity = {"0-4=leaf"};
  EXPECT_EQ(solved(machine(), constraints).error().message,
            "--affinity 0-4=leaf: ranks 0,1,... (5 in all) in one leaf, and the largest has 4 seats");
  constraints.affinity.clear();
  constraints.anti_affinity = {"0-3=leaf"};
  EXPECT_EQ(solved(machine(), constraints).error().message,
            "--anti-affinity 0-3=leaf: ranks 0,1,2,3 on 4 leaves, and 3 are free");
}

TEST(Conflict, NextStepIsANumberOfRanksThatHolds) {
  auto constraints = of(13);
  EXPECT_EQ(solved(machine(), constraints).error().next, "use -n 12 or less");
  // Three spares leave six seats; all twelve would leave none.
  constraints.spares = 3;
  EXPECT_EQ(solved(machine(), constraints).error().next, "use -n 6 or less");
  constraints = of(5);
  constraints.require_level = "host";
  constraints.excluded_hosts = {"host0"};
  EXPECT_EQ(solved(machine(), constraints).error().next,
            "use -n 2 or less, or leave out --require host or use --prefer host");
  // A rule about ranks by number is no request for fewer of them.
  constraints = of(4);
  constraints.affinity = {"0-3=host"};
  EXPECT_EQ(solved(machine(), constraints).error().next, "leave it out");
}

}  // namespace
}  // namespace topolaunch::mapping
