// SPDX-License-Identifier: Apache-2.0
//
// Choosing: rules, conflicts, spares, candidates, replaced hosts.
#include "mapping/rules.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <set>

#include "mapping/conflict.h"
#include "mapping/construct.h"
#include "mapping/parallel.h"
#include "mapping/patterns.h"
#include "mapping/random.h"
#include "mapping/replace.h"
#include "mapping/seats.h"
#include "mapping/solver.h"
#include "tests/mapping/machines.h"

namespace topolaunch::mapping {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::Not;

/// 3 leaves of 2 hosts of 2 GPUs.
topo::Topology machine() { return leaf_spine(nvswitch_host("h", 2), 3, 2, 4); }

Constraints of(int ranks) {
  Constraints constraints;
  constraints.ranks = ranks;
  constraints.effort = Constraints::Effort::fast;
  return constraints;
}

std::vector<Seat> seats_of(const Solution& solution) {
  std::vector<Seat> seats;
  for (const auto& place : solution.placement) seats.push_back(place.seat);
  return seats;
}

TEST(Rules, HoldInEverySolution) {
  const auto topology = machine();
  const auto graph = graph_from_parallel("tp=2,dp=4", "", "");
  ASSERT_TRUE(graph);
  const struct {
    std::vector<std::string> together, apart;
  } rows[] = {
      {{"tp"}, {}},                     // each pair on one host
      {{"0-3=leaf"}, {}},               // these four below one leaf
      {{"tp"}, {"dp"}},                 // replicas on different hosts
      {{}, {"tp=host"}},                // pairs split on purpose: the given order breaks it
      {{"0,2,4"}, {}},                  // three ranks do not fit two GPUs: see below
      {{}, {"0-3/4-7=leaf"}},           // halves on different leaves
      {{"@host2=leaf", "@host4"}, {}},  // nothing left
  };
  const bool possible[] = {true, true, true, true, false, true, false};
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    auto constraints = of(8);
    constraints.affinity = rows[i].together;
    constraints.anti_affinity = rows[i].apart;
    const auto solution = solve(topology, *graph, constraints);
    ASSERT_EQ(solution.has_value(), possible[i]) << i << (solution ? "" : solution.error().text());
    if (!solution) {
      EXPECT_EQ(solution.error().code, Code::infeasible) << i;
      continue;
    }
    const auto rules = Rules::make(topology, *graph, constraints);
    ASSERT_TRUE(rules);
    EXPECT_EQ(rules->fault(seats_of(*solution)), "") << i;
  }
}

TEST(Rules, ShutHostsInAndOut) {
  const auto topology = machine();
  auto constraints = of(4);
  constraints.affinity = {"@leaf1"};
  auto pool = seat_pool(topology, constraints);
  ASSERT_TRUE(pool) << pool.error().text();
  EXPECT_EQ(pool->capacity, (std::vector<int>{0, 0, 2, 2, 0, 0}));
  constraints.affinity.clear();
  constraints.anti_affinity = {"@host0=leaf"};
  pool = seat_pool(topology, constraints);
  ASSERT_TRUE(pool);
  EXPECT_EQ(pool->capacity, (std::vector<int>{0, 0, 2, 2, 2, 2}));
  constraints.anti_affinity.clear();
  constraints.near = {"host5"};
  pool = seat_pool(topology, constraints);
  ASSERT_TRUE(pool);
  EXPECT_EQ(pool->capacity, (std::vector<int>{0, 0, 0, 0, 2, 2}));
}

TEST(Rules, RefuseWhatIsNotThere) {
  const auto topology = machine();
  const auto graph = graph_from_parallel("tp=2,dp=2", "", "");
  ASSERT_TRUE(graph);
  for (const char* const value : {"ep", "tp=rack", "0-9", "0-1/2-3", "@nobody", "a b", ""}) {
    auto constraints = of(4);
    constraints.affinity = {value};
    const auto solution = solve(topology, *graph, constraints);
    ASSERT_FALSE(solution) << value;
    EXPECT_EQ(solution.error().code, Code::wrong_usage) << value << solution.error().text();
  }
}

TEST(Spares, StayFreeAndNear) {
  auto constraints = of(4);
  constraints.spares = 1;
  const auto topology = machine();
  const auto solution = solve(topology, world_allreduce(4), constraints);
  ASSERT_TRUE(solution) << solution.error().text();
  ASSERT_EQ(solution->spares.size(), 1U);
  for (const auto& place : solution->placement)
    EXPECT_NE(place.seat.host, solution->spares.front());
  constraints.spares = 6;
  const auto none = solve(topology, world_allreduce(4), constraints);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().text(),
              HasSubstr("--spares 6: 4 ranks need 2 hosts, which leaves 4 hosts free"));
}

TEST(Candidates, AreRankedAndTheTidyOneIsTaken) {
  // host0 is gone: 4 ranks fit leaf 1 or 2 whole, or leave a seat of leaf 0 over.
  auto constraints = of(4);
  constraints.excluded_hosts = {"host0"};
  const auto topology = machine();
  const auto solution = solve(topology, world_allreduce(4), constraints);
  ASSERT_TRUE(solution);
  ASSERT_GE(solution->candidates.size(), 2U);
  EXPECT_EQ(solution->candidates.front().left_over, 0);
  EXPECT_EQ(solution->candidates.front().blocks, 1);
  std::set<int> leaves;
  for (const auto& place : solution->placement)
    leaves.insert(topology.fabric.leaf_of_host[ix(place.seat.host)]);
  EXPECT_EQ(leaves, (std::set<int>{1}));
}

TEST(Conflict, NamesTheSmallestSet) {
  const auto topology = machine();
  auto constraints = of(4);
  constraints.require_level = "leaf";
  constraints.excluded_hosts = {"host5"};
  constraints.pins = {{0, "host0", -1}, {1, "host0", 1}, {2, "host3", -1}};
  const auto solution = solve(topology, world_allreduce(4), constraints);
  ASSERT_FALSE(solution);
  EXPECT_EQ(solution.error().code, Code::infeasible);
  const auto text = solution.error().text();
  EXPECT_THAT(text, HasSubstr("--require leaf"));
  EXPECT_THAT(text, HasSubstr("--pin 2=host3"));
  EXPECT_THAT(text, Not(HasSubstr("--exclude")));
  EXPECT_THAT(text, HasSubstr("cannot hold together"));
}

/// Random constraints over a small machine.
Constraints random_constraints(Random& random, const topo::Topology& topology, int ranks) {
  const auto below = [&](int n) {
    return static_cast<int>(random.below(static_cast<std::uint64_t>(n)));
  };
  const auto host = [&] { return topology.hosts[ix(below(count_of(topology.hosts)))].name; };
  auto c = of(ranks);
  c.seed = random.next();
  const char* const levels[] = {"host", "leaf"};
  if (below(4) == 0) c.require_level = levels[below(2)];
  if (below(5) == 0) c.spread_level = levels[below(2)];
  if (below(4) == 0) c.spares = 1 + below(3);
  for (int i = below(3); i > 0; --i) c.excluded_hosts.push_back(host());
  for (int r = 0; r < ranks; ++r)
    if (below(6) == 0) c.pins.push_back({r, host(), below(2) == 0 ? -1 : below(2)});
  const char* const groups[] = {"tp", "dp", "0-1", "1,3", "@host1", "@host3"};
  if (below(2) == 0) c.affinity.push_back(std::string(groups[below(6)]) + "=" + levels[below(2)]);
  if (below(3) == 0)
    c.anti_affinity.push_back(std::string(groups[below(6)]) + "=" + levels[below(2)]);
  return c;
}

TEST(Conflict, IsMinimalAndConstraintsAreNeverViolated) {
  const auto topology = machine();
  Random random(31);
  int solved = 0, refused = 0;
  for (int i = 0; i < 400; ++i) {
    const int dp = 2 + static_cast<int>(random.below(3));
    const auto graph = graph_from_parallel(fmt::format("tp=2,dp={}", dp), "", "");
    ASSERT_TRUE(graph);
    const auto constraints = random_constraints(random, topology, 2 * dp);
    const auto solution = solve(topology, *graph, constraints);
    if (solution) {
      ++solved;
      const auto pool = seat_pool(topology, constraints);
      const auto rules = Rules::make(topology, *graph, constraints);
      ASSERT_TRUE(pool && rules);
      ASSERT_EQ(placement_fault(topology, *pool, constraints, seats_of(*solution)), "") << i;
      ASSERT_EQ(rules->fault(seats_of(*solution)), "") << i;
      continue;
    }
    ASSERT_EQ(solution.error().code, Code::infeasible) << i << solution.error().text();
    ++refused;
    const auto left = smallest_conflict(topology, *graph, constraints);
    ASSERT_FALSE(feasibility(topology, *graph, left).possible) << i;
    for (const auto& item : items_of(left))
      ASSERT_TRUE(feasibility(topology, *graph, item.without(left)).possible)
          << i << " " << item.text;
  }
  EXPECT_GT(solved, 50);
  EXPECT_GT(refused, 50);
}

TEST(Replace, MovesOnlyWhatMust) {
  const auto topology = machine();
  const auto graph = graph_from_parallel("tp=2,dp=3", "", "");
  ASSERT_TRUE(graph);
  const auto before = solve(topology, *graph, of(6));
  ASSERT_TRUE(before);
  const auto old = seats_of(*before);
  const int lost = old[2].host;
  const auto after = replace_hosts(topology, *graph, of(6), old, {topology.hosts[ix(lost)].name});
  ASSERT_TRUE(after) << after.error().text();
  const auto seats = seats_of(*after);
  int moved = 0;
  for (int r = 0; r < 6; ++r) {
    EXPECT_NE(seats[ix(r)].host, lost);
    if (!(seats[ix(r)] == old[ix(r)])) ++moved;
  }
  EXPECT_EQ(moved, 2);
  EXPECT_EQ(seats[2].host, seats[3].host) << "the tensor pair stays together";

  auto shut = of(6);
  for (int h = 0; h < 6; ++h)
    if (std::none_of(old.begin(), old.end(), [&](const Seat& s) { return s.host == h; }))
      shut.excluded_hosts.push_back(topology.hosts[ix(h)].name);
  const auto none = replace_hosts(topology, *graph, shut, old, {topology.hosts[ix(lost)].name});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::infeasible);
  EXPECT_THAT(none.error().text(), HasSubstr("6 ranks, 4 seats"));
}

TEST(Watch, EndsTheSearchWithSomethingLegal) {
  const auto topology = leaf_spine(nvswitch_host("h"), 4, 4, 4);
  const auto graph = graph_from_pattern("stencil3d", 128);
  ASSERT_TRUE(graph);
  for (const int after : {0, 1, 10, 100, 1000}) {
    auto constraints = of(128);
    auto watch = std::make_shared<Watch>();
    watch->stopped = [left = after]() mutable { return left-- <= 0; };
    constraints.watch = watch;
    const auto solution = solve(topology, *graph, constraints);
    ASSERT_TRUE(solution);
    EXPECT_TRUE(solution->cut_short || after == 1000);
    const auto pool = seat_pool(topology, constraints);
    EXPECT_EQ(placement_fault(topology, *pool, constraints, seats_of(*solution)), "");
    EXPECT_LE(solution->solution.seconds.count(), solution->given.seconds.count() * (1 + 1e-9));
  }
}

}  // namespace
}  // namespace topolaunch::mapping
