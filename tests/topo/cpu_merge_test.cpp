// SPDX-License-Identifier: Apache-2.0
#include "topo/cpu_merge.h"

#include <gmock/gmock.h>

#include "tests/topo/facts.h"

namespace topolaunch::topo {
namespace {

using ::testing::HasSubstr;

const Gpu& only_gpu(const Topology& topology) { return topology.hosts.at(0).gpus.at(0); }

TEST(CpuMerge, NeverPutsAGpuOnANodeWithoutCpus) {
  // Grace: nodes 1 to 8 are the GPU's memory; the driver names node 1 as the GPU's.
  auto gpu = gpu_at("0009:01:00.0", 1);
  gpu.affinity = cpus("0-71");
  std::vector<Fact> facts{fact(kHwloc, numa_node(0, "0-71")), fact(kNvml, gpu)};
  for (int id = 1; id < 9; ++id) facts.push_back(fact(kHwloc, numa_node(id, "")));
  const auto topology = assembled(facts);
  EXPECT_EQ(only_gpu(topology).numa, 0);
  EXPECT_EQ(only_gpu(topology).memory_numa, 1);
  EXPECT_TRUE(topology.warnings.empty());
}

TEST(CpuMerge, FindsTheNodeFromTheAffinityWhereTheNumberIsMissing) {
  auto gpu = gpu_at("0000:9a:00.0");
  gpu.affinity = cpus("4-7");
  const auto topology = assembled(
      {fact(kHwloc, numa_node(6, "0-3")), fact(kHwloc, numa_node(7, "4-7")), fact(kNvml, gpu)});
  EXPECT_EQ(only_gpu(topology).numa, 7);
}

TEST(CpuMerge, TakesAnAffinityToAllCpusForNoPlace) {
  auto gpu = gpu_at("0000:9a:00.0");
  gpu.affinity = cpus("0-7");
  const auto topology = assembled(
      {fact(kHwloc, numa_node(0, "0-3")), fact(kHwloc, numa_node(1, "4-7")), fact(kNvml, gpu)});
  EXPECT_FALSE(only_gpu(topology).numa.has_value());
}

TEST(CpuMerge, TakesTheOnlyNodeOfAMachineThatSaysMinusOne) {
  const auto topology =
      assembled({fact(kHwloc, numa_node(0, "0-3")), fact(kHwloc, gpu_at("0000:18:00.0", -1))});
  EXPECT_EQ(only_gpu(topology).numa, 0);
}

TEST(CpuMerge, LeavesAPlaceUnknownThatNobodySays) {
  const auto topology =
      assembled({fact(kHwloc, numa_node(0, "0-3")), fact(kHwloc, numa_node(1, "4-7")),
                 fact(kHwloc, gpu_at("0000:18:00.0", -1))});
  EXPECT_FALSE(only_gpu(topology).numa.has_value());
}

TEST(CpuMerge, BindsByIntersectionWhereNodesCrossSockets) {
  // A virtual machine whose node 0 is 0-31,64-95 while the driver says 0-63 (open-mpi/hwloc#712).
  auto gpu = gpu_at("0000:18:00.0");
  gpu.affinity = cpus("0-47");
  const auto topology =
      assembled({fact(kHwloc, numa_node(0, "0-31,64-95")),
                 fact(kHwloc, numa_node(1, "32-63,96-127")), fact(kNvml, gpu)});
  EXPECT_EQ(only_gpu(topology).numa, 0);
}

TEST(CpuMerge, SaysThatTwoNodesShareTheirCpus) {
  const auto topology =
      assembled({fact(kNccl, numa_node(0, "0-23")), fact(kNccl, numa_node(1, "0-23"))});
  EXPECT_THAT(message_of(topology, "numa-same-cpus"), HasSubstr("0 and 1 both have CPUs 0-23"));
}

TEST(CpuMerge, SaysThatSourcesGiveANodeDifferentCpusButNotAPartOfThem) {
  EXPECT_EQ(count_of(assembled({fact(kHwloc, numa_node(0, "0-7")), fact(kNccl, numa_node(0, "2-3"))}),
                     "numa-cpus-conflict"),
            0);
  const auto topology =
      assembled({fact(kNccl, numa_node(0, "8-15")), fact(kHwloc, numa_node(0, "0-7"))});
  EXPECT_EQ(count_of(topology, "numa-cpus-conflict"), 1);
  EXPECT_EQ(topology.hosts[0].numa[0].cpus, cpus("0-7"));
}

TEST(CpuMerge, SaysThatTheAffinityPointsElsewhere) {
  auto gpu = gpu_at("0000:18:00.0", 0);
  gpu.affinity = cpus("4-7");
  const auto topology = assembled(
      {fact(kHwloc, numa_node(0, "0-3")), fact(kHwloc, numa_node(1, "4-7")), fact(kNvml, gpu)});
  EXPECT_EQ(count_of(topology, "affinity-conflict"), 1);
}

TEST(CpuMerge, SaysThatANodeIsUnknown) {
  const auto topology =
      assembled({fact(kHwloc, numa_node(0, "0-3")), fact(kHwloc, numa_node(1, "4-7")),
                 fact(kNccl, gpu_at("0000:18:00.0", 9))});
  EXPECT_FALSE(only_gpu(topology).numa.has_value());
  EXPECT_EQ(count_of(topology, "numa-unknown"), 1);
}

TEST(CpuMerge, TakesTheAllowedCpusOfTheSourceThatKnowsThem) {
  HostFact host;
  host.cpus = cpus("0-7");
  host.allowed_cpus = cpus("1,2");
  const auto topology = assembled({fact(kHwloc, host)});
  EXPECT_EQ(topology.hosts[0].allowed_cpus, cpus("1-2"));
  HostFact free;
  free.cpus = cpus("0-7");
  EXPECT_EQ(assembled({fact(kHwloc, free)}).hosts[0].allowed_cpus, cpus("0-7"));
}

}  // namespace
}  // namespace topolaunch::topo
