// SPDX-License-Identifier: Apache-2.0
#include "mapping/replace.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <set>

#include "mapping/index.h"
#include "mapping/parallel.h"
#include "mapping/solver.h"
#include "tests/mapping/machines.h"

namespace topolaunch::mapping {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::leaf_spine;
using ::testing::Not;
using testing::nvswitch_host;

/// Seats by rank.
std::vector<Seat> seats_of(const Solution& solution) {
  std::vector<Seat> seats;
  for (const auto& place : solution.placement) seats.push_back(place.seat);
  return seats;
}

/// Six hosts of two GPUs under three leaves; two ranks a host, data parallel.
class Replacing : public ::testing::Test {
 protected:
  Result<Solution> replace(int ranks, const std::function<void(Constraints&)>& ask) {
    const auto graph = graph_from_parallel("dp=" + std::to_string(ranks), "", "");
    Constraints constraints;
    constraints.ranks = ranks;
    ask(constraints);
    old_.clear();
    for (int r = 0; r < ranks; ++r) old_.push_back({r / 2, r % 2, r % 2});
    return replace_hosts(topology_, *graph, constraints, old_, {"host0"});
  }
  topo::Topology topology_ = leaf_spine(nvswitch_host("h", 2), 3, 2, 1);
  std::vector<Seat> old_;
};

TEST_F(Replacing, RanksOfOneHostGoToSeveralWhereARuleAsksForIt) {
  const auto solution = replace(2, [](Constraints& c) { c.anti_affinity = {"dp=leaf"}; });
  ASSERT_TRUE(solution) << solution.error().text();
  std::set<int> leaves;
  for (const auto& place : solution->placement) {
    EXPECT_NE(place.seat.host, 0);
    leaves.insert(topology_.fabric.leaf_of_host[ix(place.seat.host)]);
  }
  EXPECT_EQ(leaves.size(), 2U);
}

TEST_F(Replacing, WhatTheStayingRanksBreakIsSaidOfThem) {
  const auto broken = replace(4, [](Constraints& c) { c.anti_affinity = {"dp"}; });
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, Code::infeasible);
  EXPECT_THAT(
      broken.error().text(),
      AllOf(HasSubstr("the ranks that stay break --anti-affinity dp"), HasSubstr("--replace too")));
  for (const char* preference : {"", "leaf"}) {
    const auto shut = replace(4, [&](Constraints& c) {
      c.excluded_hosts = {"host1"};
      c.prefer_level = preference;
    });
    ASSERT_FALSE(shut);
    EXPECT_THAT(shut.error().text(),
                AllOf(HasSubstr("rank 2 stays on host1"), Not(HasSubstr("pinned"))));
  }
}

TEST_F(Replacing, APinOnTheHostThatGoesIsNamed) {
  const auto pinned = replace(2, [](Constraints& c) { c.pins = {{0, "host0", -1}}; });
  ASSERT_FALSE(pinned);
  EXPECT_THAT(pinned.error().text(), AllOf(HasSubstr("--pin 0=host0"), HasSubstr("being replaced"),
                                           Not(HasSubstr("--exclude"))));
}

TEST_F(Replacing, ASpreadThatTheStayingRanksDoNotAllowGivesWay) {
  const auto even = replace(4, [](Constraints& c) { c.spread_level = "leaf"; });
  ASSERT_TRUE(even) << even.error().text();
  std::set<int> hosts;
  for (const auto& place : even->placement) hosts.insert(place.seat.host);
  EXPECT_FALSE(hosts.contains(0));
  EXPECT_EQ(even->placement[2].seat, old_[2]);
  EXPECT_EQ(even->placement[3].seat, old_[3]);
}

TEST_F(Replacing, ALevelThatTheStayingRanksLeaveIsNotCalledPinned) {
  const auto far = replace(8, [](Constraints& c) { c.require_level = "leaf"; });
  ASSERT_FALSE(far);
  EXPECT_THAT(far.error().text(), Not(HasSubstr("pinned")));
}

TEST_F(Replacing, OtherBlocksAreTriedWhereTheFirstCannotHoldTheRules) {
  // The lost host's neighbour has room for both ranks, but not on hosts of their own.
  const auto solution = replace(2, [](Constraints& c) {
    c.require_level = "leaf";
    c.anti_affinity = {"0-1=host"};
  });
  ASSERT_TRUE(solution) << solution.error().text();
  const auto seats = seats_of(*solution);
  EXPECT_NE(seats[0].host, seats[1].host);
  EXPECT_EQ(topology_.fabric.leaf_of_host[ix(seats[0].host)],
            topology_.fabric.leaf_of_host[ix(seats[1].host)]);
}

TEST(Replace, MovesOnlyWhatMust) {
  Constraints six;
  six.ranks = 6;
  const auto topology = leaf_spine(nvswitch_host("h", 2), 3, 2, 4);
  const auto graph = graph_from_parallel("tp=2,dp=3", "", "");
  ASSERT_TRUE(graph);
  const auto before = solve(topology, *graph, six);
  ASSERT_TRUE(before);
  const auto old = seats_of(*before);
  const int lost = old[2].host;
  const auto after = replace_hosts(topology, *graph, six, old, {topology.hosts[ix(lost)].name});
  ASSERT_TRUE(after) << after.error().text();
  const auto seats = seats_of(*after);
  int moved = 0;
  for (int r = 0; r < 6; ++r) {
    EXPECT_NE(seats[ix(r)].host, lost);
    if (!(seats[ix(r)] == old[ix(r)])) ++moved;
  }
  EXPECT_EQ(moved, 2);
  EXPECT_EQ(seats[2].host, seats[3].host) << "the tensor pair stays together";

  auto shut = six;
  for (int h = 0; h < 6; ++h)
    if (std::none_of(old.begin(), old.end(), [&](const Seat& s) { return s.host == h; }))
      shut.excluded_hosts.push_back(topology.hosts[ix(h)].name);
  const auto none = replace_hosts(topology, *graph, shut, old, {topology.hosts[ix(lost)].name});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::infeasible);
  EXPECT_THAT(none.error().text(), HasSubstr("6 ranks, 4 seats"));
}

}  // namespace
}  // namespace topolaunch::mapping
