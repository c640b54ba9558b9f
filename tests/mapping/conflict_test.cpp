// SPDX-License-Identifier: Apache-2.0
#include "mapping/conflict.h"

#include <gmock/gmock.h>

#include "mapping/patterns.h"
#include "mapping/solver.h"
#include "tests/mapping/machines.h"

namespace topolaunch::mapping {
namespace {

using ::testing::HasSubstr;
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

Result<Solution> solved(const topo::Topology& topology, const Constraints& constraints) {
  const auto graph = graph_from_pattern("allreduce", constraints.ranks);
  return solve(topology, *graph, constraints);
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
