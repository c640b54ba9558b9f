// SPDX-License-Identifier: Apache-2.0
#include "topo/gpu_count.h"

#include <gmock/gmock.h>

#include "tests/topo/facts.h"

namespace topolaunch::topo {
namespace {

const Origin kKube{"kubernetes", "nodes.json", 7};

TEST(GpuCount, StandsForGpusThatNobodySees) {
  const auto topology = assembled(
      {fact(kKube, MentionFact{}), fact(kKube, GpuCountFact{8, "NVIDIA-H100-80GB-HBM3"})});
  ASSERT_EQ(topology.hosts.at(0).gpus.size(), 8U);
  const Gpu& gpu = topology.hosts[0].gpus[7];
  EXPECT_EQ(gpu.model, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(gpu.compute_capability, 90);
  ASSERT_EQ(gpu.links.size(), 1U);
  EXPECT_EQ(gpu.links[0].to, GpuLink::To::nvswitch);
  EXPECT_EQ(gpu.links[0].count, 18);
  EXPECT_FALSE(gpu.pci.has_value());
}

TEST(GpuCount, KeepsAModelThatIsNotKnown) {
  const auto topology = assembled({fact(kKube, GpuCountFact{2, "Frob-1"})});
  EXPECT_EQ(topology.hosts.at(0).gpus.at(1).model, "Frob-1");
  EXPECT_TRUE(topology.hosts[0].gpus[1].links.empty());
}

TEST(GpuCount, DoesNotAddToGpusThatAreSeen) {
  const auto topology = assembled({fact(kKube, GpuCountFact{2, "h100"}),
                                   fact(kNvml, gpu_at("18:00.0")), fact(kNvml, gpu_at("19:00.0"))});
  EXPECT_EQ(topology.hosts.at(0).gpus.size(), 2U);
  EXPECT_TRUE(topology.warnings.empty());
}

TEST(GpuCount, SaysThatOneIsMissing) {
  const auto topology =
      assembled({fact(kKube, GpuCountFact{2, "h100"}), fact(kNvml, gpu_at("18:00.0"))});
  EXPECT_EQ(topology.hosts.at(0).gpus.size(), 1U);
  EXPECT_THAT(message_of(topology, "gpu-count-differs"),
              ::testing::AllOf(::testing::HasSubstr("kubernetes nodes.json:7"),
                               ::testing::HasSubstr("nvml")));
}

}  // namespace
}  // namespace topolaunch::topo
