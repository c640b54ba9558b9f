// SPDX-License-Identifier: Apache-2.0
#include "mapping/problem.h"

#include <gmock/gmock.h>

#include "mapping/parallel.h"
#include "tests/mapping/machines.h"

namespace topolaunch::mapping {
namespace {

using namespace testing;
using ::testing::HasSubstr;

struct Asked {
  topo::Topology topology = leaf_spine(nvswitch_host("h", 4), 2, 2, 1);
  RankGraph graph = *graph_from_parallel("tp=4,dp=2", "", "");
  Constraints constraints;
  Asked() { constraints.ranks = 8; }
  Result<Problem> make() const { return Problem::make(topology, graph, constraints); }
};

TEST(Problem, StartHoldsWhatIsAsked) {
  Asked asked;
  asked.constraints.anti_affinity = {"0-3/4-7=leaf"};
  asked.constraints.pins = {{5, "host1", 2}};
  const auto problem = asked.make();
  ASSERT_TRUE(problem) << problem.error().text();
  EXPECT_EQ(problem->fault(problem->start), "");
  EXPECT_EQ(problem->start[5], (Seat{1, 2, 2}));
  EXPECT_EQ(problem->ranks(), 8);
}

TEST(Problem, FaultsOfSeatsAndOfRulesAreBothSaid) {
  Asked asked;
  asked.constraints.anti_affinity = {"0-3/4-7=leaf"};
  const auto problem = asked.make();
  ASSERT_TRUE(problem);
  auto twice = problem->start;
  twice[1] = twice[0];
  EXPECT_THAT(problem->fault(twice), HasSubstr("two ranks have one seat"));
  std::vector<Seat> one_leaf;
  for (int r = 0; r < 8; ++r) one_leaf.push_back({r / 4, r % 4, r % 4});
  EXPECT_THAT(problem->fault(one_leaf), HasSubstr("0-3/4-7=leaf"));
}

TEST(Problem, WhatIsWrongWithTheSeatsComesFirst) {
  Asked asked;
  asked.constraints.ranks = 99;
  asked.constraints.affinity = {"nosuchgroup"};
  EXPECT_EQ(asked.make().error().code, Code::infeasible);
  asked.constraints.ranks = 8;
  EXPECT_EQ(asked.make().error().code, Code::wrong_usage);
}

}  // namespace
}  // namespace topolaunch::mapping
