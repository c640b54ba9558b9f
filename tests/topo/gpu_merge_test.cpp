// SPDX-License-Identifier: Apache-2.0
#include "topo/gpu_merge.h"

#include <gmock/gmock.h>

#include "tests/topo/facts.h"

namespace topolaunch::topo {
namespace {

TEST(GpuMerge, SortsByPciAddressWhateverTheSourcesNumber) {
  auto first = gpu_at("0000:9a:00.0");
  first.index = 0;
  auto second = gpu_at("0000:18:00.0");
  second.index = 1;
  const auto topology = assembled({fact(kNvml, first), fact(kNvml, second)});
  EXPECT_EQ(topology.hosts[0].gpus[0].pci->text(), "0000:18:00.0");
  EXPECT_EQ(topology.hosts[0].gpus[0].index, 0);
}

TEST(GpuMerge, PutsGpusOfUnknownAddressLast) {
  GpuFact nowhere;
  nowhere.index = 0;
  const auto topology = assembled({fact(kNvml, nowhere), fact(kNvml, gpu_at("0000:18:00.0"))});
  ASSERT_EQ(topology.hosts[0].gpus.size(), 2U);
  EXPECT_FALSE(topology.hosts[0].gpus[1].pci.has_value());
}

TEST(GpuMerge, SeesThatTwoGpusAreOneWhenAThirdSourceSaysSo) {
  GpuFact by_uuid;
  by_uuid.uuid = "GPU-1";
  by_uuid.memory = Bytes::gib(80);
  auto both = gpu_at("0000:18:00.0");
  both.uuid = "GPU-1";
  const auto topology = assembled(
      {fact(kNvml, by_uuid), fact(kNccl, gpu_at("0000:18:00.0")), fact(kHwloc, both)});
  ASSERT_EQ(topology.hosts[0].gpus.size(), 1U);
  EXPECT_EQ(topology.hosts[0].gpus[0].memory, Bytes::gib(80));
}

TEST(GpuMerge, SaysThatOneAddressHasTwoUuids) {
  auto a = gpu_at("0000:18:00.0");
  a.uuid = "GPU-1";
  auto b = gpu_at("0000:18:00.0");
  b.uuid = "GPU-2";
  const auto topology = assembled({fact(kHwloc, b), fact(kNvml, a)});
  ASSERT_EQ(topology.hosts[0].gpus.size(), 1U);
  EXPECT_EQ(topology.hosts[0].gpus[0].uuid, "GPU-1");
  EXPECT_EQ(count_of(topology, "uuid-conflict"), 1);
}

TEST(GpuMerge, NumbersMeanSomethingWithinOneSourceOnly) {
  GpuFact a;
  a.index = 0;
  a.model = "A";
  GpuFact again;
  again.index = 0;
  again.memory = Bytes::gib(1);
  const auto topology = assembled({fact(kNvml, a), fact(kNvml, again), fact(kNccl, again)});
  EXPECT_EQ(topology.hosts[0].gpus.size(), 2U);
}

TEST(GpuMerge, TakesTheZeroClusterForNoDomain) {
  auto gpu = gpu_at("0000:18:00.0");
  gpu.fabric_cluster = "00000000-0000-0000-0000-000000000000";
  gpu.fabric_clique = 7;
  const auto topology = assembled({fact(kNvml, gpu)});
  EXPECT_EQ(topology.hosts[0].gpus[0].fabric_cluster, "");
  EXPECT_EQ(topology.hosts[0].gpus[0].fabric_clique, 0);
}

TEST(GpuMerge, GivesThePlaceOfABareAddressToTheGpuThere) {
  PciFact bare;
  bare.pci = pci("0000:00:16.0");
  bare.numa = 1;
  const auto topology =
      assembled({fact(kHwloc, numa_node(0, "0-3")), fact(kHwloc, numa_node(1, "4-7")),
                 fact(kNvml, gpu_at("0000:00:16.0")), fact(kNccl, bare)});
  EXPECT_EQ(topology.hosts[0].gpus.at(0).numa, 1);
}

}  // namespace
}  // namespace topolaunch::topo
