// SPDX-License-Identifier: Apache-2.0
#include "topo/nic_merge.h"

#include <gmock/gmock.h>

#include "tests/topo/facts.h"

namespace topolaunch::topo {
namespace {

NicFact nic(const std::string& name, const std::string& address, const std::string& netdev = "") {
  NicFact fact;
  fact.nic.name = name;
  fact.nic.netdev = netdev;
  if (!address.empty()) fact.nic.pci = pci(address);
  return fact;
}

TEST(NicMerge, KnowsAnRdmaDeviceByItsNetdev) {
  auto fast = nic("eth0", "");
  fast.nic.rate = Bandwidth::gigabits_per_second(100);
  const auto topology =
      assembled({fact(kNccl, fast), fact(Origin{"sysfs", "", 0}, nic("mlx5_0", "0000:18:00.0", "eth0"))});
  ASSERT_EQ(topology.hosts[0].nics.size(), 1U);
  EXPECT_EQ(topology.hosts[0].nics[0].name, "mlx5_0");
  EXPECT_TRUE(topology.hosts[0].nics[0].rate.known());
}

TEST(NicMerge, KeepsSeveralPortsOfOneCardInNumericOrder) {
  const auto topology = assembled({fact(kNccl, nic("mlx5_10", "0000:18:00.0")),
                                   fact(kNccl, nic("mlx5_9", "0000:18:00.0"))});
  ASSERT_EQ(topology.hosts[0].nics.size(), 2U);
  EXPECT_EQ(topology.hosts[0].nics[0].name, "mlx5_9");
}

TEST(NicMerge, GivesABareAddressItsName) {
  const auto topology = assembled(
      {fact(kNccl, nic("", "0101:00:00.0")), fact(kHwloc, nic("mlx5_0", "0101:00:00.0"))});
  ASSERT_EQ(topology.hosts[0].nics.size(), 1U);
  EXPECT_EQ(topology.hosts[0].nics[0].name, "mlx5_0");
  EXPECT_EQ(assembled({fact(kNccl, nic("", "0101:00:00.0"))}).hosts[0].nics[0].name,
            "0101:00:00.0");
}

TEST(NicMerge, LeavesNumaMinusOneUnknown) {
  auto far = nic("rdmap0", "0000:18:00.0");
  far.nic.numa = -1;
  const auto topology = assembled({fact(kHwloc, numa_node(0, "0-3")),
                                   fact(kHwloc, numa_node(1, "4-7")), fact(kHwloc, far)});
  EXPECT_FALSE(topology.hosts[0].nics[0].numa.has_value());
}

TEST(NicMerge, SaysThatRatesDiffer) {
  auto slow = nic("mlx5_0", "0000:18:00.0");
  slow.nic.rate = Bandwidth::gigabits_per_second(200);
  auto fast = slow;
  fast.nic.rate = Bandwidth::gigabits_per_second(400);
  const auto topology = assembled({fact(kNccl, fast), fact(Origin{"sysfs", "", 0}, slow)});
  EXPECT_DOUBLE_EQ(topology.hosts[0].nics[0].rate.gigabytes_per_second(), 25);
  EXPECT_EQ(count_of(topology, "nic-rate-conflict"), 1);
}

}  // namespace
}  // namespace topolaunch::topo
