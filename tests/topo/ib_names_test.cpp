// SPDX-License-Identifier: Apache-2.0
#include "topo/ib_names.h"

#include <gtest/gtest.h>

namespace topolaunch::topo {
namespace {

TEST(IbNames, FindsTheHostOfAnAdapter) {
  EXPECT_EQ(ib_host_name("g01 mlx5_0"), "g01");
  EXPECT_EQ(ib_host_name(" g06 HCA-1"), "g06");
  EXPECT_EQ(ib_host_name("RMD701091901003 ibp11s0f0"), "RMD701091901003");
  EXPECT_EQ(ib_host_name("host16"), "host16");
}

TEST(IbNames, TakesNoProductForAHost) {
  for (const char* words : {"MT4129 ConnectX7   Mellanox Technologies", "localhost mlx5_0",
                            "ubuntu HCA-1", "", "Mellanox Technologies Aggregation Node",
                            "MT23108 InfiniHost Mellanox Technologies", "a;b HCA-1"}) {
    EXPECT_EQ(ib_host_name(words), "") << words;
  }
}

TEST(IbNames, ShortensASwitch) {
  EXPECT_EQ(ib_switch_name("MF0;hall2-leaf-01:MQM9700/U1"), "hall2-leaf-01");
  EXPECT_EQ(ib_switch_name("MF0;core-A:MCS8500/L02/U1"), "core-A/L02");
  EXPECT_EQ(ib_switch_name("leaf1"), "leaf1");
  EXPECT_EQ(ib_switch_name("ISR9024 Voltaire"), "ISR9024-Voltaire");
  EXPECT_EQ(ib_switch_name("Quantum Mellanox Technologies"), "");
}

}  // namespace
}  // namespace topolaunch::topo
