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
  for (const char* const value : {"ep", "tp=rack", "0-9", "0-1/2-3", "@nobody", "a b", "", "=leaf", "3-0=leaf"}) {
    auto constraints = of(4);
    constraints.affinity = {value};
    const auto solution = solve(topology, *graph, constraints);
    ASSERT_FALSE(solution) << value;
    EXPECT_EQ(solution.error().code, Code::wrong_usage) << value << solution.error().text();
  }
  auto twice = of(4);
  twice.anti_affinity = {"0-1/1-2"};
  EXPECT_NE(solve(topology, *graph, twice).error().text().find("rank 1 stands on both sides"), std::string::npos);
  const auto said = [&](const char* value) {
    auto constraints = of(4);
    constraints.affinity = {value};
    return solve(topology, *graph, constraints).error().text();
  };
  EXPECT_EQ(said("3-0=leaf"), "--affinity 3-0=leaf: 3-0 runs backwards; write 0-3");
  EXPECT_THAT(said("=leaf"), HasSubstr("--affinity '=leaf': no group before the level"));
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
              HasSubstr("--spares 6: beside 2 hosts for 4 ranks, free: 4 hosts"));
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

TEST(Candidates, HoldThePinnedRanks) {
  auto constraints = of(4);
  constraints.pins = {{3, "host5", -1}};
  const auto solution = solve(machine(), world_allreduce(4), constraints);
  ASSERT_TRUE(solution);
  ASSERT_FALSE(solution->candidates.empty());
  for (const auto& candidate : solution->candidates) EXPECT_THAT(candidate.hosts, ::testing::Contains(5));
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

/// The request in words.
std::string text_of(const Constraints& c) {
  std::string text;
  for (const auto& item : items_of(c)) text += (text.empty() ? "" : " ") + item.text;
  return text;
}

/// What a placement breaks, checked from the request alone; empty if nothing. An uneven spread,
/// which gives way to all else, only if `even`.
std::string broken(const topo::Topology& topology, const Rules& rules, const Constraints& c,
                   const std::vector<Seat>& seats, bool even = false) {
  std::vector<int> ranks(topology.hosts.size(), 0), room(topology.hosts.size(), 0);
  for (const auto& seat : seats) ++ranks[ix(seat.host)];
  for (int h = 0; h < count_of(topology.hosts); ++h) {
    const auto& name = topology.hosts[ix(h)].name;
    const bool out = std::find(c.excluded_hosts.begin(), c.excluded_hosts.end(), name) != c.excluded_hosts.end();
    room[ix(h)] = out ? 0 : count_of(topology.hosts[ix(h)].gpus);
  }
  for (const bool apart : {false, true})
    for (const auto& value : apart ? c.anti_affinity : c.affinity) {
      const auto rule = RuleText::parse("", value);
      if (!rule.about_hosts()) continue;
      const auto& block = rules.levels().find(rule.level.empty() ? "host" : rule.level)->block;
      const auto hosts = hosts_named(topology, "", rule.group.substr(1));
      for (int h = 0; h < count_of(room); ++h)
        if (std::any_of(hosts->begin(), hosts->end(), [&](int n) { return block[ix(n)] == block[ix(h)]; }) == apart)
          room[ix(h)] = 0;
    }
  for (int h = 0; h < count_of(room); ++h)
    if (ranks[ix(h)] > room[ix(h)]) return "room";
  std::vector<int> pinned(room.size(), 0);
  for (const auto& pin : c.pins) {
    const auto& seat = seats[ix(pin.rank)];
    if (topology.hosts[ix(seat.host)].name != pin.host || (pin.gpu >= 0 && seat.gpu != pin.gpu)) return "pin";
    ++pinned[ix(seat.host)];
  }
  if (c.spares > 0) {
    int free = 0;
    for (int h = 0; h < count_of(room); ++h) free += room[ix(h)] > 0 && ranks[ix(h)] == 0 ? 1 : 0;
    if (free < c.spares) return "spares";
  }
  if (const auto* level = rules.levels().find(c.require_level); level != nullptr) {
    const int block = level->block[ix(seats[0].host)];
    for (const auto& seat : seats)
      if (level->block[ix(seat.host)] != block) return "require";
    for (int h = 0; h < count_of(room); ++h)
      if (level->block[ix(h)] != block) room[ix(h)] = 0;
  }
  if (const auto* level = rules.levels().find(c.spread_level);
      even && level != nullptr && c.spares == 0) {
    std::vector<int> there(ix(level->blocks), 0), holds(ix(level->blocks), 0), held(ix(level->blocks), 0);
    for (int h = 0; h < count_of(room); ++h) {
      const int block = level->block[ix(h)];
      there[ix(block)] += ranks[ix(h)], holds[ix(block)] += room[ix(h)], held[ix(block)] += pinned[ix(h)];
    }
    for (int a = 0; a < level->blocks; ++a)
      for (int b = 0; b < level->blocks; ++b)
        if (there[ix(a)] > there[ix(b)] + 1 && there[ix(b)] < holds[ix(b)] && there[ix(a)] > held[ix(a)]) return "spread";
  }
  return rules.fault(seats);
}

/// Whether any placement at all holds the request.
bool any_placement(const topo::Topology& topology, const Rules& rules, const Constraints& c,
                   bool even = false) {
  std::vector<Seat> all, seats(ix(c.ranks));
  for (int h = 0; h < count_of(topology.hosts); ++h)
    for (int g = 0; g < count_of(topology.hosts[ix(h)].gpus); ++g) all.push_back({h, g, g});
  std::vector<char> used(all.size(), 0);
  const std::function<bool(int)> place = [&](int rank) {
    if (rank == c.ranks) return broken(topology, rules, c, seats, even).empty();
    const auto pin = std::find_if(c.pins.begin(), c.pins.end(), [&](const auto& p) { return p.rank == rank; });
    for (std::size_t s = 0; s < all.size(); ++s) {
      if (used[s]) continue;
      // Without a pin the GPUs of a host are alike.
      if (all[s].gpu > 0 && !used[s - 1] && c.pins.empty()) continue;
      if (pin != c.pins.end() && topology.hosts[ix(all[s].host)].name != pin->host) continue;
      used[s] = 1;
      seats[ix(rank)] = all[s];
      if (place(rank + 1)) return true;
      used[s] = 0;
    }
    return false;
  };
  return place(0);
}

TEST(Settle, RefusesOnlyWhatNoPlacementHolds) {
  const auto topology = machine();
  const auto graph = graph_from_parallel("tp=2,dp=2", "", "");
  ASSERT_TRUE(graph);
  Random random(33);
  int possible = 0, uneven = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto constraints = random_constraints(random, topology, 4);
    const auto rules = Rules::make(topology, *graph, constraints);
    ASSERT_TRUE(rules);
    const auto found = feasibility(topology, *graph, constraints);
    const bool there_is = any_placement(topology, *rules, constraints);
    ASSERT_EQ(found.possible, there_is) << i << " " << text_of(constraints) << ": " << found.error.text();
    possible += there_is ? 1 : 0;
    if (!there_is || constraints.spread_level.empty()) continue;
    const auto solution = solve(topology, *graph, constraints);
    ASSERT_TRUE(solution) << text_of(constraints);
    if (broken(topology, *rules, constraints, seats_of(*solution), true).empty()) continue;
    ++uneven;
    ASSERT_FALSE(any_placement(topology, *rules, constraints, true)) << i << text_of(constraints);
    ASSERT_THAT(solution->unmet, ::testing::Contains(HasSubstr("--spread"))) << i;
  }
  EXPECT_GT(uneven, 5);
  EXPECT_GT(possible, 300);
  EXPECT_LT(possible, 1800);
}

TEST(Conflict, IsMinimalAndConstraintsAreNeverViolated) {
  const auto topology = machine();
  Random random(31);
  int solved = 0, refused = 0;
  for (int i = 0; i < 1000; ++i) {
    const int dp = 2 + static_cast<int>(random.below(3));
    const auto graph = graph_from_parallel(fmt::format("tp=2,dp={}", dp), "", "");
    ASSERT_TRUE(graph);
    const auto constraints = random_constraints(random, topology, 2 * dp);
    const auto solution = solve(topology, *graph, constraints);
    if (solution) {
      ++solved;
      const auto rules = Rules::make(topology, *graph, constraints);
      ASSERT_TRUE(rules);
      ASSERT_EQ(broken(topology, *rules, constraints, seats_of(*solution)), "") << i << " " << text_of(constraints);
      std::set<std::pair<int, int>> taken;
      for (const auto& seat : seats_of(*solution)) ASSERT_TRUE(taken.insert({seat.host, seat.slot}).second) << i;
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
