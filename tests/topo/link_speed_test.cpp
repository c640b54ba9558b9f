// SPDX-License-Identifier: Apache-2.0
#include "topo/link_speed.h"

#include <gtest/gtest.h>

namespace topolaunch::topo {
namespace {

TEST(LinkSpeed, GivesTheDataSheetsRateOfAnNvlink) {
  EXPECT_DOUBLE_EQ(nvlink_per_link(70).gigabytes_per_second() * nvlink_most_links(70), 150);
  EXPECT_DOUBLE_EQ(nvlink_per_link(80).gigabytes_per_second() * nvlink_most_links(80), 300);
  EXPECT_DOUBLE_EQ(nvlink_per_link(90).gigabytes_per_second() * nvlink_most_links(90), 450);
  EXPECT_DOUBLE_EQ(nvlink_per_link(100).gigabytes_per_second() * nvlink_most_links(100), 900);
}

TEST(LinkSpeed, GivesNcclsConstantApart) {
  EXPECT_NEAR(nccl_nvlink_per_link(90).gigabytes_per_second() * 18, 370.8, 1e-9);
  EXPECT_NEAR(nccl_nvlink_per_link(100).gigabytes_per_second() * 18, 721.8, 1e-9);
  EXPECT_NEAR(nccl_nvlink_per_link(86).gigabytes_per_second(), 12, 1e-9);
}

TEST(LinkSpeed, KnowsTheGenerationsWithoutNvlink) {
  EXPECT_FALSE(nvlink_per_link(89).known());
  EXPECT_FALSE(nvlink_per_link(120).known());
  EXPECT_FALSE(nvlink_per_link(0).known());
  EXPECT_EQ(nvlink_most_links(89), 0);
  EXPECT_EQ(nvlink_most_links(0), 18);
}

TEST(LinkSpeed, TakesTheEncodingOffAPcieLink) {
  EXPECT_NEAR(pcie(3, 16).gigabytes_per_second(), 15.75, 0.01);
  EXPECT_NEAR(pcie(5, 16).gigabytes_per_second(), 63.0, 0.1);
  EXPECT_FALSE(pcie(0, 16).known());
  EXPECT_FALSE(pcie(4, 0).known());
  EXPECT_FALSE(pcie(9, 16).known());
}

TEST(LinkSpeed, FallsBackAsNcclDoes) {
  EXPECT_NEAR(nccl_pcie(5, 16).gigabytes_per_second(), 48, 1e-9);
  EXPECT_NEAR(nccl_pcie(0, 0).gigabytes_per_second(), 12, 1e-9);
}

TEST(LinkSpeed, ReadsEverySpellingOfASpeed) {
  EXPECT_EQ(pcie_generation("16.0 GT/s PCIe"), 4);
  EXPECT_EQ(pcie_generation("8 GT/s"), 3);
  EXPECT_EQ(pcie_generation("32 GT/s PCIe/s"), 5);
  EXPECT_EQ(pcie_generation("2.5 GT/s PCIe"), 1);
  EXPECT_FALSE(pcie_generation("").has_value());
  EXPECT_FALSE(pcie_generation("Unknown").has_value());
  EXPECT_FALSE(pcie_generation("17 GT/s").has_value());
  for (int g = 1; g <= 7; ++g) EXPECT_EQ(pcie_generation(pcie_link_speed(g)), g);
}

TEST(LinkSpeed, KnowsNetworkPortsByName) {
  EXPECT_DOUBLE_EQ(network_rate("NDR")->gigabytes_per_second(), 50);
  EXPECT_DOUBLE_EQ(network_rate("100g")->gigabytes_per_second(), 12.5);
  EXPECT_DOUBLE_EQ(network_rate("400Gb/s")->gigabytes_per_second(), 50);
  EXPECT_FALSE(network_rate("ndrx").has_value());
  EXPECT_FALSE(network_rate("g").has_value());
}

}  // namespace
}  // namespace topolaunch::topo
