// SPDX-License-Identifier: Apache-2.0
#include "mapping/seat_count.h"

#include <gmock/gmock.h>

#include "tests/mapping/machines.h"

namespace topolaunch::mapping {
namespace {

using namespace testing;
using ::testing::ElementsAre;

topo::Topology with_instances() {
  auto topology = single(nvswitch_host("h", 3));
  topology.hosts[0].gpus[1].mig_enabled = true;
  topology.hosts[0].gpus[1].mig = {{"MIG-a", "3g.20gb", Bytes(0)}, {"MIG-b", "2g.10gb", Bytes(0)}};
  topology.hosts[0].gpus[2].mig_enabled = true;
  return topology;
}

TEST(SeatCount, IsOneAGpuAndOneAnInstanceInMigMode) {
  const auto topology = with_instances();
  const auto& gpus = topology.hosts[0].gpus;
  EXPECT_EQ(seats_of(gpus[0]), 1);
  EXPECT_EQ(seats_of(gpus[1]), 2);
  EXPECT_EQ(seats_of(gpus[2]), 0) << "MIG mode without an instance";
  EXPECT_EQ(default_slots(topology.hosts[0]), 3);
  EXPECT_THAT(gpu_seats(topology, {}, 0), ElementsAre(0, 1, 1));
  EXPECT_THAT(free_seats(topology, {}), ElementsAre(3));
}

TEST(SeatCount, LeavesOutWhatTheConstraintsExclude) {
  auto topology = with_instances();
  topology.hosts.push_back(cpu_host("c", 4));
  Constraints constraints;
  constraints.excluded_gpus = {{0, 0}};
  constraints.ranks_on_gpu[{0, 1}] = 1;
  EXPECT_THAT(gpu_seats(topology, constraints, 0), ElementsAre(1));
  EXPECT_THAT(free_seats(topology, constraints), ElementsAre(1, default_slots(topology.hosts[1])));
  constraints.excluded_hosts = {topology.hosts[1].name};
  EXPECT_THAT(free_seats(topology, constraints), ElementsAre(1, 0));
}

TEST(SharedSlots, AreTheRanksInFullRoundsAndNoneWhereSeatsSuffice) {
  EXPECT_EQ(shared_slots({2, 8}, 10), (std::vector<int>{}));
  EXPECT_EQ(shared_slots({2, 8}, 11), (std::vector<int>{3, 8}));
  EXPECT_EQ(shared_slots({2, 0, 8}, 25), (std::vector<int>{6, 0, 19}));
  EXPECT_EQ(shared_slots({0}, 3), (std::vector<int>{}));
}

}  // namespace
}  // namespace topolaunch::mapping
