// SPDX-License-Identifier: Apache-2.0
#include "topo/topology.h"

#include <gtest/gtest.h>

#include "tests/topo/facts.h"

namespace topolaunch::topo {
namespace {

Gpu gpu(int index, const std::string& address, std::vector<std::string> path,
        std::optional<int> numa) {
  Gpu made;
  made.index = index;
  made.pci = pci(address);
  made.numa = numa;
  for (const auto& entry : path) made.pcie_path.push_back(pci(entry));
  return made;
}

PciRelation relation(const Gpu& a, const Gpu& b) { return Host().relation(a, b); }

TEST(Topology, CallsTwoDevicesBelowOneSwitchPix) {
  // sysfs: root port, upstream port, a downstream port for each.
  EXPECT_EQ(relation(gpu(0, "0000:18:00.0", {"0000:15:01.0", "0000:16:00.0", "0000:17:00.0"}, 0),
                     gpu(1, "0000:19:00.0", {"0000:15:01.0", "0000:16:00.0", "0000:17:01.0"}, 0)),
            PciRelation::pix);
  // NCCL: the switch once.
  EXPECT_EQ(relation(gpu(0, "0000:18:00.0", {"0000:16:00.0"}, 0),
                     gpu(1, "0000:19:00.0", {"0000:16:00.0"}, 0)),
            PciRelation::pix);
}

TEST(Topology, CallsTwoSwitchesBelowOnePxb) {
  EXPECT_EQ(relation(gpu(0, "0000:1c:00.0", {"0000:16:00.0", "0000:1b:00.0"}, 0),
                     gpu(1, "0000:2c:00.0", {"0000:16:00.0", "0000:2b:00.0"}, 0)),
            PciRelation::pxb);
  EXPECT_EQ(relation(gpu(0, "0000:1a:00.0",
                         {"0000:15:01.0", "0000:16:00.0", "0000:17:00.0", "0000:18:00.0",
                          "0000:19:00.0"}, 0),
                     gpu(1, "0000:2a:00.0",
                         {"0000:15:01.0", "0000:16:00.0", "0000:17:01.0", "0000:28:00.0",
                          "0000:29:00.0"}, 0)),
            PciRelation::pxb);
}

TEST(Topology, TellsHostBridgesNodesAndSocketsApart) {
  EXPECT_EQ(relation(gpu(0, "0000:18:00.0", {"0000:15:01.0"}, 0),
                     gpu(1, "0000:1a:00.0", {"0000:15:02.0"}, 0)),
            PciRelation::phb);
  EXPECT_EQ(relation(gpu(0, "0000:18:00.0", {"0000:15:01.0"}, 0),
                     gpu(1, "0000:3a:00.0", {"0000:37:01.0"}, 0)),
            PciRelation::node);
  EXPECT_EQ(relation(gpu(0, "0000:18:00.0", {"0000:15:01.0"}, 0),
                     gpu(1, "0000:9a:00.0", {"0000:97:01.0"}, 1)),
            PciRelation::sys);
  EXPECT_EQ(relation(gpu(0, "0000:18:00.0", {"0000:15:01.0"}, {}),
                     gpu(1, "0000:9a:00.0", {"0000:97:01.0"}, 1)),
            PciRelation::unknown);
}

TEST(Topology, DoesNotTakeOneBusNumberOfTwoDomainsForOneBridge) {
  EXPECT_EQ(relation(gpu(0, "0001:00:00.0", {}, 0), gpu(1, "0002:00:00.0", {}, 0)),
            PciRelation::node);
}

TEST(Topology, PairsANicWithoutAddressByItsNode) {
  Nic nic;
  nic.numa = 0;
  EXPECT_EQ(Host().relation(gpu(0, "0000:18:00.0", {}, 0), nic), PciRelation::node);
  EXPECT_EQ(Host().relation(gpu(0, "0000:18:00.0", {}, 1), nic), PciRelation::sys);
  nic.numa.reset();
  EXPECT_EQ(Host().relation(gpu(0, "0000:18:00.0", {}, 1), nic), PciRelation::unknown);
}

TEST(Topology, FindsNumaNodesByTheirNumber) {
  Host host;
  for (const int id : {1, 2, 6, 7}) host.numa.push_back({id, {}, {}, -1});
  EXPECT_EQ(host.numa_node(6)->id, 6);
  EXPECT_EQ(host.numa_node(0), nullptr);
  EXPECT_EQ(host.numa_node(3), nullptr);
}

TEST(Topology, WritesAnOriginWithFileAndLine) {
  EXPECT_EQ((Origin{"nvml", "", 0}).text(), "nvml");
  EXPECT_EQ((Origin{"nccl-xml", "t.xml", 12}).text(), "nccl-xml t.xml:12");
  EXPECT_EQ((Origin{"hwloc-xml", "t.xml", 0}).text(), "hwloc-xml t.xml");
}

}  // namespace
}  // namespace topolaunch::topo
