// SPDX-License-Identifier: Apache-2.0
#include "mapping/solver/whole_groups.h"

#include <gmock/gmock.h>

#include "mapping/parallel.h"
#include "mapping/patterns.h"
#include "mapping/solver.h"
#include "tests/mapping/machines.h"

namespace topolaunch::mapping {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::leaf_spine;
using testing::nvswitch_host;

/// Four hosts of eight GPUs, two under a leaf.
topo::Topology machine() { return leaf_spine(nvswitch_host("h", 8), 2, 2, 4); }

std::vector<std::vector<int>> capacities(const std::string& parallel, const std::vector<int>& capacity) {
  const auto graph = graph_from_parallel(parallel, "", "");
  EXPECT_TRUE(graph);
  return whole_group_capacities(fabric_levels(machine()), *graph, capacity, graph->ranks);
}

TEST(WholeGroups, LeaveSeatsFreeThatWouldCutAGroup) {
  EXPECT_THAT(capacities("tp=3,dp=4", {8, 8, 8, 8}), Contains(ElementsAre(6, 6, 6, 6)));
  EXPECT_THAT(capacities("tp=3,cp=2,dp=2", {8, 8, 8, 8}), Contains(ElementsAre(6, 6, 6, 6)));
  // A leaf of 16 holds three groups of five; its hosts one each, and then they hold too few.
  EXPECT_THAT(capacities("tp=5,dp=6", {8, 8, 8, 8}), Contains(ElementsAre(8, 7, 8, 7)));
}

TEST(WholeGroups, AreNotSoughtWhereNoSeatIsToSpareOrNothingIsCut) {
  EXPECT_THAT(capacities("tp=4,dp=8", {8, 8, 8, 8}), IsEmpty());
  EXPECT_THAT(capacities("tp=2,dp=4", {8, 8, 8, 8}), IsEmpty());
  EXPECT_THAT(whole_group_capacities(fabric_levels(machine()), *graph_from_pattern("allreduce", 5), {8, 8, 8, 8}, 5),
              IsEmpty());
}

TEST(WholeGroups, AreTriedInFewWaysOfLargeJobs) {
  const auto topology = leaf_spine(nvswitch_host("h", 8), 100, 12, 4);
  const std::vector<int> capacity(1200, 8);
  const auto ways = [&](const char* parallel) {
    const auto graph = graph_from_parallel(parallel, "", "");
    return whole_group_capacities(fabric_levels(topology), *graph, capacity, graph->ranks).size();
  };
  EXPECT_GT(ways("tp=3,dp=500"), 1U);
  EXPECT_EQ(ways("tp=3,pp=7,dp=314"), 2U) << "six or seven ranks a host, for groups of three or of seven";
  EXPECT_EQ(ways("tp=8,pp=4,dp=150"), 0U) << "hosts cut none, and leaves are not looked at";
}

/// A rule leaves fewer placements to choose from: with it nothing can be better.
TEST(WholeGroups, NoRuleThatKeepsThemFindsMore) {
  for (const char* parallel : {"tp=3,dp=4", "tp=3,dp=8", "tp=6,dp=4", "tp=5,dp=4", "tp=3,dp=6", "tp=3,pp=2,dp=3",
                               "tp=6,pp=4", "tp=3,cp=2,dp=2", "tp=6,pp=2", "tp=7,dp=3", "tp=2,dp=3", "tp=4,dp=5"}) {
    const auto graph = graph_from_parallel(parallel, "", "");
    ASSERT_TRUE(graph);
    Constraints free;
    free.ranks = graph->ranks;
    free.effort = Constraints::Effort::fast;
    auto bound = free;
    bound.affinity = {"tp"};
    const auto a = solve(machine(), *graph, free), b = solve(machine(), *graph, bound);
    ASSERT_TRUE(a && b) << parallel;
    EXPECT_LE(a->solution.seconds.count(), b->solution.seconds.count() * (1 + 1e-9)) << parallel << " " << a->solver;
  }
}

TEST(WholeGroups, AreCountedAsTheReason) {
  const auto graph = graph_from_parallel("tp=3,dp=8", "", "");
  Constraints constraints;
  constraints.ranks = graph->ranks;
  constraints.effort = Constraints::Effort::fast;
  const auto solution = solve(machine(), *graph, constraints);
  ASSERT_TRUE(solution);
  // Full hosts hold ranks 0-7, 8-15 and 16-23: the groups of rank 6 and of rank 15 are cut.
  EXPECT_THAT(solution->reasons, Contains("other ranks share a host: 8 of 8 tp groups inside one, 6 before"));
}

}  // namespace
}  // namespace topolaunch::mapping
