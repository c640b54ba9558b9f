// SPDX-License-Identifier: Apache-2.0
#include "mapping/affinity.h"

#include <gmock/gmock.h>

#include "tests/mapping/machines.h"

namespace topolaunch::mapping {
namespace {

using namespace testing;

std::vector<Seat> gpus(std::vector<int> order) {
  std::vector<Seat> seats;
  for (const int g : order) seats.push_back({0, g, g});
  return seats;
}
std::vector<Seat> slots(int n) {
  std::vector<Seat> seats;
  for (int s = 0; s < n; ++s) seats.push_back({0, -1, s});
  return seats;
}
std::vector<std::string> cpus_of(const std::vector<Affinity>& affinities) {
  std::vector<std::string> lists;
  for (const auto& affinity : affinities) lists.push_back(affinity.cpus.to_list());
  return lists;
}
using Lists = std::vector<std::string>;

TEST(Affinity, SharesOutWholeCoresOfTheGpusNode) {
  // Node 0: cores 0-3 with siblings 8-11; node 1: 4-7 with 12-15. Two GPUs on each.
  auto host = two_sockets("h", 4);
  for (const int node : {0, 0, 1, 1}) add_gpu(host, node, 80);
  const auto result = host_affinity(host, gpus({0, 1, 2, 3}));
  EXPECT_EQ(cpus_of(result), (Lists{"0-1,8-9", "2-3,10-11", "4-5,12-13", "6-7,14-15"}));
  EXPECT_EQ(result[0].numa, 0);
  EXPECT_EQ(result[3].numa, 1);
  EXPECT_EQ(result[3].memory_nodes, std::vector<int>{1});
  for (const auto& affinity : result) EXPECT_EQ(affinity.note, "");
}

TEST(Affinity, SecondRunsOfANodesCpusAreTakenForTheOtherThreadsOfItsCores) {
  // As nvidia-smi and NCCL tell a host: masks, and no word on cores.
  topo::Topology topology = leaf_spine(nvswitch_host("h", 2), 1, 1, 1);
  auto& host = topology.hosts.front();
  host.smt.clear();
  host.numa = {{0, CpuSet::from_list("0-7,16-23").value(), {}, 0}};
  host.cpus = host.allowed_cpus = host.numa.front().cpus;
  host.allowed_memory = CpuSet::from_list("0").value();
  for (auto& gpu : host.gpus) gpu.numa = 0, gpu.affinity = host.cpus;
  const auto places = affinity_of(topology, {{0, 0, 0}, {0, 1, 1}});
  EXPECT_EQ(places[0].cpus.to_list(), "0-3,16-19");
  EXPECT_EQ(places[1].cpus.to_list(), "4-7,20-23");
}

TEST(Affinity, GoesWithTheGpuWhateverTheOrderOfRanks) {
  auto host = two_sockets("h", 4);
  for (const int node : {0, 0, 1, 1}) add_gpu(host, node, 80);
  EXPECT_EQ(cpus_of(host_affinity(host, gpus({3, 2, 1, 0}))), (Lists{"6-7,14-15", "4-5,12-13", "2-3,10-11", "0-1,8-9"}));
}

// CUDA_VISIBLE_DEVICES=3,6,5,4,0,7,1,2 on two sockets, GPUs 0-3 on node 0: rank 0 is on the socket of GPU 3.
TEST(Affinity, RankZeroOnGpuThreeIsOnItsSocket) {
  const auto host = nvswitch_host("h");
  const auto result = host_affinity(host, gpus({3, 6, 5, 4, 0, 7, 1, 2}));
  const int nodes[] = {0, 1, 1, 1, 0, 1, 0, 0};
  for (std::size_t r = 0; r < 8; ++r) {
    EXPECT_EQ(result[r].numa, nodes[r]);
    EXPECT_TRUE(host.numa[ix(nodes[r])].cpus.includes(result[r].cpus));
  }
}

TEST(Affinity, FourGpusOnNumaNodesOneTwoSixSeven) {
  // 8 nodes of 2 cores, GPUs on 1, 2, 6 and 7.
  auto host = two_sockets("h", 2, 8);
  for (const int node : {1, 2, 6, 7}) add_gpu(host, node, 90);
  const auto result = host_affinity(host, gpus({0, 1, 2, 3}));
  EXPECT_EQ(cpus_of(result), (Lists{"2-3,18-19", "4-5,20-21", "12-13,28-29", "14-15,30-31"}));
}

// Four GPUs at bus 02:00.0 of domains 0..3, each on its own node.
TEST(Affinity, GpusThatDifferInDomainOnlyKeepTheirNodes) {
  auto host = two_sockets("h", 2, 4);
  for (int g = 0; g < 4; ++g) {
    auto& gpu = add_gpu(host, g, 94);
    gpu.pci = pci(static_cast<std::uint32_t>(g), 2);
    gpu.pcie_path.clear();
  }
  const auto result = host_affinity(host, gpus({0, 1, 2, 3}));
  for (int g = 0; g < 4; ++g) EXPECT_EQ(result[ix(g)].numa, g);
}

// NUMA nodes that cross the affinity masks (wrong tables of a virtual machine): the common part.
TEST(Affinity, CrossingTablesGiveTheirCommonPart) {
  auto host = two_sockets("h", 4);
  auto& gpu = add_gpu(host, 0, 80);
  gpu.affinity = CpuSet{2, 3, 4, 5};
  EXPECT_EQ(host_affinity(host, gpus({0}))[0].cpus.to_list(), "2-3");
}

// Grace Hopper: node 1 is the GPU's memory and has no CPUs.
TEST(Affinity, MemoryOnlyNodesAreNoPlaceForCpus) {
  auto host = two_sockets("h", 8, 1);
  host.arch = "aarch64";
  topo::NumaNode memory;
  memory.id = 1;
  host.numa.push_back(memory);
  host.allowed_memory.add(1);
  auto& gpu = add_gpu(host, 1, 90);  // a source that named the memory node
  gpu.memory_numa = 1;
  gpu.affinity.add_range(0, 7);
  const auto result = host_affinity(host, gpus({0}));
  EXPECT_EQ(result[0].cpus.to_list(), "0-7");
  EXPECT_EQ(result[0].numa, 0);
  EXPECT_EQ(result[0].memory_nodes, std::vector<int>{0});
}

TEST(Affinity, NeverLeavesTheAllowedSet) {
  // docker --cpuset-cpus=1,2 and the like, with and without GPUs, 1 to 9 ranks.
  for (const CpuSet& allowed : {CpuSet{1, 2}, CpuSet{0, 48}, CpuSet{3}, CpuSet{0, 1, 2, 3, 4, 9, 17}}) {
    auto host = two_sockets("h", 24);
    host.allowed_cpus = allowed;
    for (int g = 0; g < 4; ++g) add_gpu(host, g / 2, 80);
    for (int n = 1; n <= 9; ++n) {
      for (const auto& affinity : host_affinity(host, slots(n))) {
        EXPECT_FALSE(affinity.cpus.empty());
        EXPECT_TRUE(allowed.includes(affinity.cpus));
      }
    }
    for (const auto& affinity : host_affinity(host, gpus({0, 1, 2, 3}))) {
      EXPECT_FALSE(affinity.cpus.empty());
      EXPECT_TRUE(allowed.includes(affinity.cpus));
    }
  }
}

TEST(Affinity, SaysWhenTheNearestNodeIsNotAllowed) {
  auto host = two_sockets("h", 4);
  host.allowed_cpus = CpuSet{0, 1, 2, 3};
  add_gpu(host, 1, 80);
  const auto result = host_affinity(host, gpus({0}));
  EXPECT_EQ(result[0].cpus.to_list(), "0-3");
  EXPECT_THAT(result[0].note, ::testing::HasSubstr("has no allowed CPU"));
}

TEST(Affinity, SaysWhenNothingIsKnown) {
  auto host = two_sockets("h", 4);
  for (int g = 0; g < 2; ++g) add_gpu(host, -1, 80).pcie_path.clear();
  const auto result = host_affinity(host, gpus({0, 1}));
  EXPECT_EQ(cpus_of(result), (Lists{"0-3,8-11", "4-7,12-15"}));
  EXPECT_THAT(result[0].note, ::testing::HasSubstr("locality unknown"));
}

TEST(Affinity, AGpuOfUnknownPlaceTakesCpusThatNobodyHas) {
  auto host = two_sockets("h", 4);
  add_gpu(host, 0, 80);
  add_gpu(host, -1, 80).pcie_path.clear();
  EXPECT_EQ(cpus_of(host_affinity(host, gpus({0, 1}))), (Lists{"0-3,8-11", "4-7,12-15"}));
}

TEST(Affinity, TakesTheNodeOfANicUnderTheSameRoot) {
  auto host = two_sockets("h", 4);
  add_gpu(host, -1, 80, 0x70);
  add_nic(host, 1, 100, 0x70);
  EXPECT_EQ(host_affinity(host, gpus({0}))[0].numa, 1);
}

TEST(Affinity, MoreRanksThanCoresShareThemAndSaySo) {
  auto host = two_sockets("h", 2, 1);  // 2 cores, 4 threads
  const auto threads = host_affinity(host, slots(4));
  EXPECT_EQ(cpus_of(threads), (Lists{"0", "2", "1", "3"}));
  EXPECT_THAT(threads[0].note, ::testing::HasSubstr("shared cores"));
  const auto crowded = host_affinity(host, slots(8));
  EXPECT_THAT(crowded[0].note, ::testing::HasSubstr("8 ranks share 4 CPUs"));
}

TEST(Affinity, RanksWithoutGpusAreSpreadInOrderOfTheMachine) {
  auto host = two_sockets("h", 4);
  const auto result = host_affinity(host, slots(4));
  EXPECT_EQ(cpus_of(result), (Lists{"0-1,8-9", "2-3,10-11", "4-5,12-13", "6-7,14-15"}));
  EXPECT_EQ(result[2].numa, 1);
  // One rank over both nodes keeps the system's memory policy.
  EXPECT_TRUE(host_affinity(host, slots(1))[0].memory_nodes.empty());
}

TEST(Affinity, EightGpusAndEightNicsAreOneEach) {
  const auto host = nvswitch_host("h");
  const auto result = host_affinity(host, gpus({7, 6, 5, 4, 3, 2, 1, 0}));
  for (int r = 0; r < 8; ++r) EXPECT_EQ(result[ix(r)].nics, std::vector<std::string>{fmt::format("mlx5_{}", 7 - r)});
}

// Two GPUs and two NICs under one switch (DGX A100): both have the same choice, each gets one.
TEST(Affinity, EqualChoicesAreDealtOut) {
  auto host = two_sockets("h", 4);
  add_gpu(host, 0, 80, 0x70);
  add_gpu(host, 0, 80, 0x70);
  add_nic(host, 0, 200, 0x70);
  add_nic(host, 0, 200, 0x70);
  const auto result = host_affinity(host, gpus({0, 1}));
  EXPECT_EQ(result[0].nics, std::vector<std::string>{"mlx5_0"});
  EXPECT_EQ(result[1].nics, std::vector<std::string>{"mlx5_1"});
}

TEST(Affinity, NicsThatAreDownOrSlowOrFarComeLast) {
  auto host = two_sockets("h", 4);
  add_gpu(host, 1, 80, 0x70);
  add_nic(host, 0, 200, 0x71);
  add_nic(host, 1, 200, 0x72);
  add_nic(host, 1, 200, 0x70);
  add_nic(host, -1, 200, -1);
  host.nics[2].up = false;
  EXPECT_EQ(host_affinity(host, gpus({0}))[0].nics, std::vector<std::string>{"mlx5_1"});
  host.nics[1].rate = Bandwidth::gigabits_per_second(1);
  EXPECT_EQ(host_affinity(host, gpus({0}))[0].nics, std::vector<std::string>{"mlx5_0"});
}

TEST(Affinity, EachHostOfAClusterHasItsOwn) {
  // Equal neighbours share the work; one that differs in anything does not.
  topo::Topology topology;
  const auto like = nvswitch_host("h", 4);
  topology.hosts.assign(9, like);
  topology.hosts[1].allowed_cpus = CpuSet{0, 1, 2, 3, 4, 5};
  topology.hosts[2].allowed_memory = CpuSet{1};
  topology.hosts[3].gpus[1].numa = 1;
  topology.hosts[4].nics[0].up = false;
  topology.hosts[5].nics[0].name = "other";
  topology.hosts[6].smt.clear();
  topology.hosts[7].numa[0].cpus = CpuSet{0, 1};
  std::vector<Seat> seats;
  for (int h = 0; h < 9; ++h)
    for (const int g : h == 8 ? std::vector<int>{3, 1} : std::vector<int>{0, 1, 2, 3}) seats.push_back({h, g, g});
  const auto all = affinity_of(topology, seats);
  for (int h = 0, r = 0; h < 9; ++h) {
    std::vector<Seat> here;
    for (const auto& seat : seats)
      if (seat.host == h) here.push_back(seat);
    for (const auto& own : host_affinity(topology.hosts[ix(h)], here)) {
      const auto& got = all[ix(r++)];
      EXPECT_EQ(got.cpus.to_list(), own.cpus.to_list()) << h;
      EXPECT_EQ(got.nics, own.nics) << h;
      EXPECT_EQ(got.memory_nodes, own.memory_nodes) << h;
      EXPECT_EQ(got.numa, own.numa) << h;
      EXPECT_EQ(got.note, own.note) << h;
    }
  }
}

}  // namespace
}  // namespace topolaunch::mapping
