// SPDX-License-Identifier: Apache-2.0
#include "topo/gpu_model.h"

#include <gtest/gtest.h>

namespace topolaunch::topo {
namespace {

int links(std::string_view name) { return gpu_model(name).value_or(GpuModel{-1, -1}).most_links; }
int capability(std::string_view name) {
  return gpu_model(name).value_or(GpuModel{-1, -1}).capability;
}

TEST(GpuModel, TellsBoardsOfOneChipApart) {
  EXPECT_EQ(links("NVIDIA H100 80GB HBM3"), 18);
  EXPECT_EQ(links("NVIDIA H100 PCIe"), 12);
  EXPECT_EQ(links("NVIDIA H100 NVL"), 12);
  EXPECT_EQ(links("Tesla V100-SXM2-32GB"), 6);
  EXPECT_EQ(links("Tesla V100-PCIE-16GB"), 0);
  EXPECT_EQ(links("A100-SXM4-40GB"), 12);
  EXPECT_EQ(capability("NVIDIA A10G"), 86);
  EXPECT_EQ(links("NVIDIA A10"), 0);
  EXPECT_EQ(capability("NVIDIA L40S"), 89);
  EXPECT_EQ(capability("NVIDIA L4"), 89);
  EXPECT_EQ(links("NVIDIA RTX A4000"), 0);
  EXPECT_EQ(links("NVIDIA GeForce RTX 3090"), 4);
  EXPECT_EQ(capability("NVIDIA GeForce RTX 4090"), 89);
  EXPECT_EQ(capability("NVIDIA GB200"), 100);
  EXPECT_EQ(capability("NVIDIA GH200 480GB"), 90);
  EXPECT_EQ(capability("NVIDIA RTX 6000 Ada Generation"), 89);
}

TEST(GpuModel, SaysNothingOfNamesThatItDoesNotKnow) {
  EXPECT_FALSE(gpu_model("AMD gfx90a"));
  EXPECT_FALSE(gpu_model("NVIDIA X900"));
  EXPECT_FALSE(gpu_model(""));
}

}  // namespace
}  // namespace topolaunch::topo
