// SPDX-License-Identifier: Apache-2.0
#include "mapping/seats.h"

#include <gmock/gmock.h>

#include <functional>

#include "tests/mapping/machines.h"

namespace topolaunch::mapping {
namespace {

using namespace testing;
using ::testing::HasSubstr;

Constraints of(int ranks) {
  Constraints constraints;
  constraints.ranks = ranks;
  return constraints;
}

TEST(Seats, GivenOrderIsHostsThenGpus) {
  const auto topology = leaf_spine(nvswitch_host("h", 2), 2, 2, 1);
  const auto pool = seat_pool(topology, of(5));
  ASSERT_TRUE(pool);
  const auto seats = given_seats(topology, *pool, of(5));
  const std::vector<Seat> expected = {{0, 0, 0}, {0, 1, 1}, {1, 0, 0}, {1, 1, 1}, {2, 0, 0}};
  EXPECT_EQ(seats, expected);
}

TEST(Seats, AHostWithoutGpusSeatsItsAllowedCpus) {
  auto host = cpu_host("c", 4);
  host.allowed_cpus = CpuSet{1, 2};
  EXPECT_EQ(seat_pool(single(host), of(2))->total(), 2);
  const auto pool = seat_pool(single(host), of(3));
  ASSERT_FALSE(pool);
  EXPECT_EQ(pool.error().code, Code::infeasible);
  EXPECT_THAT(pool.error().text(), HasSubstr("3 ranks, 2 seats: 1 host without GPUs, 2 CPUs allowed"));
}

TEST(Seats, NamesTheConstraintThatDoesNotFit) {
  const auto topology = leaf_spine(nvswitch_host("h"), 2, 2, 1);
  const struct {
    std::function<void(Constraints&)> change;
    int ranks;
    Code code;
    const char* says;
  } rows[] = {
      {[](Constraints&) {}, 40, Code::infeasible, "40 ranks, 32 seats: 4 hosts with 32 GPUs"},
      {[](Constraints& c) { c.excluded_hosts = {"host1"}; }, 32, Code::infeasible, "24 seats"},
      {[](Constraints& c) { c.excluded_hosts = {"nobody"}; }, 2, Code::wrong_usage,
       "--exclude nobody"},
      {[](Constraints& c) {
         c.excluded_gpus = {{0, 0}, {0, 1}};
       },
       32, Code::infeasible, "2 GPUs masked or busy"},
      {[](Constraints& c) { c.require_level = "host"; }, 12, Code::infeasible,
       "12 ranks in one host: the largest has 8"},
      {[](Constraints& c) { c.require_level = "leaf"; }, 17, Code::infeasible,
       "17 ranks in one leaf: the largest has 16"},
      {[](Constraints& c) { c.require_level = "rack"; }, 2, Code::wrong_usage, "no such level"},
      {[](Constraints& c) {
         c.pins = {{0, "host0", 9}};
       },
       2, Code::wrong_usage, "host0 has 8 GPUs"},
      {[](Constraints& c) {
         c.pins = {{5, "host0", 1}};
       },
       2, Code::wrong_usage, "ranks are 0 to 1"},
      {[](Constraints& c) {
         c.pins = {{0, "host9", 1}};
       },
       2, Code::wrong_usage, "--pin 0=host9:1: no host"},
      {[](Constraints& c) {
         c.pins = {{0, "host0", 1}, {1, "host0", 1}};
       },
       2, Code::infeasible, "more ranks are pinned to host0:1 than it takes"},
      {[](Constraints& c) {
         c.pins = {{0, "host0", 1}}, c.excluded_hosts = {"host0"};
       },
       2, Code::infeasible, "has 0 seats"},
      {[](Constraints& c) {
         c.pins = {{0, "host0", 1}}, c.excluded_gpus = {{0, 1}};
       },
       2, Code::infeasible, "masked or busy"},
      {[](Constraints& c) {
         c.pins = {{0, "host0", -1}, {1, "host3", -1}}, c.require_level = "leaf";
       },
       2, Code::infeasible, "pinned ranks"},
  };
  for (const auto& row : rows) {
    auto constraints = of(row.ranks);
    row.change(constraints);
    const auto pool = seat_pool(topology, constraints);
    ASSERT_FALSE(pool) << row.says;
    EXPECT_EQ(pool.error().code, row.code) << row.says;
    EXPECT_THAT(pool.error().text(), HasSubstr(row.says));
  }
}

TEST(Seats, ARequiredLevelIsTheSmallestBlockThatHoldsAll) {
  auto topology = leaf_spine(nvswitch_host("h"), 2, 2, 1);
  auto constraints = of(8);
  constraints.require_level = "leaf";
  constraints.excluded_hosts = {"host2"};
  const auto pool = seat_pool(topology, constraints);
  ASSERT_TRUE(pool);
  EXPECT_EQ(pool->capacity, (std::vector<int>{0, 0, 0, 8}));
}

TEST(Seats, APreferredLevelThatDoesNotFitIsSaid) {
  auto constraints = of(12);
  constraints.prefer_level = "host";
  const auto pool = seat_pool(leaf_spine(nvswitch_host("h"), 2, 2, 1), constraints);
  ASSERT_TRUE(pool);
  EXPECT_EQ(pool->unmet.size(), 1U);
}

TEST(Seats, SpreadSharesRanksOutOverBlocks) {
  auto constraints = of(10);
  constraints.spread_level = "host";
  const auto pool = seat_pool(leaf_spine(nvswitch_host("h"), 2, 2, 1), constraints);
  ASSERT_TRUE(pool);
  EXPECT_EQ(pool->capacity, (std::vector<int>{3, 3, 2, 2}));
}

TEST(Seats, PinsHoldAndNobodyLosesHisSeat) {
  const auto topology = leaf_spine(nvswitch_host("h"), 2, 2, 1);
  auto constraints = of(32);
  constraints.pins = {{0, "host3", 7}, {31, "host0", -1}, {5, "host2", -1}};
  const auto pool = seat_pool(topology, constraints);
  ASSERT_TRUE(pool);
  EXPECT_EQ(placement_fault(topology, *pool, constraints, given_seats(topology, *pool, constraints)), "");
}

TEST(Seats, SlotsOverTheGpusShareThem) {
  const auto topology = single(nvswitch_host("h", 2));
  auto constraints = of(5);
  constraints.slots_per_host = {5};
  const auto pool = seat_pool(topology, constraints);
  ASSERT_TRUE(pool);
  const auto seats = given_seats(topology, *pool, constraints);
  EXPECT_EQ(seats[2].gpu, 0);
  EXPECT_EQ(seats[4].gpu, 0);
  EXPECT_EQ(placement_fault(topology, *pool, constraints, seats), "");
}

TEST(Seats, AGpuInMigModeTakesARankPerInstance) {
  auto topology = single(nvswitch_host("h", 2));
  auto& gpu = topology.hosts[0].gpus[0];
  gpu.mig_enabled = true;
  EXPECT_EQ(seat_pool(topology, of(1))->total(), 1) << "no instance: only the other GPU";
  gpu.mig = {{"MIG-a", "3g.20gb", Bytes(0)}, {"MIG-b", "2g.10gb", Bytes(0)}};
  const auto pool = seat_pool(topology, of(3));
  ASSERT_TRUE(pool) << pool.error().text();
  EXPECT_EQ(pool->seats, (std::vector<Seat>{{0, 0, 0}, {0, 0, 2}, {0, 1, 1}}));
  auto constraints = of(2);
  constraints.ranks_on_gpu[{0, 0}] = 1;
  EXPECT_EQ(seat_pool(topology, constraints)->seats, (std::vector<Seat>{{0, 0, 0}, {0, 1, 1}}));
}

TEST(Seats, RanksArePinnedToInstancesOfOneGpu) {
  auto topology = single(nvswitch_host("h", 2));
  topology.hosts[0].gpus[1].mig_enabled = true;
  topology.hosts[0].gpus[1].mig = {{"MIG-a", "3g.20gb", Bytes(0)}, {"MIG-b", "2g.10gb", Bytes(0)}};
  auto constraints = of(3);
  const auto& host = topology.hosts[0].name;
  constraints.pins = {{0, host, 1}, {1, host, 1}};
  const auto pool = seat_pool(topology, constraints);
  ASSERT_TRUE(pool) << pool.error().text();
  const auto seats = given_seats(topology, *pool, constraints);
  EXPECT_EQ(placement_fault(topology, *pool, constraints, seats), "");
  EXPECT_EQ(seats[2].gpu, 0);
  constraints.pins.push_back({2, host, 1});
  EXPECT_EQ(seat_pool(topology, constraints).error().code, Code::infeasible);
}

TEST(Seats, TheGuardSeesEveryKindOfFault) {
  const auto topology = single(nvswitch_host("h"));
  const auto constraints = of(2);
  const auto pool = seat_pool(topology, constraints);
  ASSERT_TRUE(pool);
  const std::vector<std::vector<Seat>> faulty = {
      {{0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 9, 9}}};
  for (const auto& seats : faulty) EXPECT_NE(placement_fault(topology, *pool, constraints, seats), "");
}

}  // namespace
}  // namespace topolaunch::mapping
