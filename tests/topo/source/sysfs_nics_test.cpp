// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <map>

#include "tests/support/memory_files.h"
#include "tests/topo/source/capture.h"
#include "topo/source/sysfs.h"

namespace topolaunch::topo {
namespace {

using test::MemoryFiles;

/// A netdev on the PCI device `pci`, whose folder is `folder`.
void add_netdev(MemoryFiles& files, const std::string& name, const std::string& folder,
                const std::string& speed = "25000", const std::string& state = "up") {
  const std::string net = folder + "/net/" + name;
  files.add(net + "/type", "1\n");
  files.add(net + "/operstate", state + "\n");
  files.add(net + "/speed", speed + "\n");
  files.link(net + "/device", folder);
  files.link("/sys/class/net/" + name, net);
  files.add(folder + "/numa_node", "1\n");
}

std::vector<std::string> names(const std::vector<Nic>& nics) {
  std::vector<std::string> out;
  for (const Nic& nic : nics) out.push_back(nic.name);
  return out;
}

TEST(SysfsNics, AreTheRealOnesOnly) {
  MemoryFiles files;
  add_netdev(files, "eth0", "/sys/devices/pci0000:00/0000:00:03.0");
  add_netdev(files, "enx0", "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-3/1-3:1.0");
  add_netdev(files, "wlan0", "/sys/devices/pci0000:00/0000:00:1c.0/0000:02:00.0");
  files.add("/sys/devices/pci0000:00/0000:00:1c.0/0000:02:00.0/net/wlan0/wireless/x", "");
  add_netdev(files, "vf0", "/sys/devices/pci0000:00/0000:00:04.0/0000:05:10.0");
  files.link("/sys/devices/pci0000:00/0000:00:04.0/0000:05:10.0/physfn", "/sys/devices/pci0000:00/0000:00:03.0");
  for (const char* name : {"lo", "docker0", "veth1a2b", "br0", "tun0", "bond0"}) {
    const std::string folder = std::string("/sys/devices/virtual/net/") + name;
    files.add(folder + "/type", "1\n");
    files.link(std::string("/sys/class/net/") + name, folder);
  }
  EXPECT_THAT(names(nics_of_sysfs(files)), testing::ElementsAre("eth0"));
}

TEST(SysfsNics, LeaveTheRateOfASilentOneOpen) {
  MemoryFiles files;
  add_netdev(files, "a", "/sys/devices/pci0000:00/0000:00:03.0", "-1");
  add_netdev(files, "b", "/sys/devices/pci0000:00/0000:00:04.0", "100000", "down");
  const auto nics = nics_of_sysfs(files);
  ASSERT_EQ(nics.size(), 2U);
  EXPECT_TRUE(nics[0].up);
  EXPECT_FALSE(nics[0].rate.known());
  EXPECT_FALSE(nics[1].up);
  EXPECT_FALSE(nics[1].rate.known());
  EXPECT_EQ(nics[1].numa, 1);
}

TEST(SysfsNics, OfVirtioStandAtTheirPciDevice) {
  MemoryFiles files;
  add_netdev(files, "eth0", "/sys/devices/pci0000:00/0000:00:03.0/virtio1", "-1");
  const auto nics = nics_of_sysfs(files);
  ASSERT_EQ(nics.size(), 1U);
  EXPECT_EQ(nics[0].pci->text(), "0000:00:03.0");
}

TEST(SysfsNics, AddUpThePortsThatAreUp) {
  MemoryFiles files;
  const std::string folder = "/sys/devices/pci10000:00/10000:00:02.0/10000:01:00.0";
  const std::string rdma = folder + "/infiniband/mlx4_0";
  files.link("/sys/class/infiniband/mlx4_0", rdma);
  files.link(rdma + "/device", folder);
  files.add(folder + "/numa_node", "-1\n");
  files.add(rdma + "/node_guid", "0002:c903:0000:0001\n");
  for (const char* port : {"1", "2", "3"}) {
    files.add(rdma + "/ports/" + port + "/rate", "56 Gb/sec (4X FDR)\n");
    files.add(rdma + "/ports/" + port + "/state", std::string(port) == "3" ? "1: DOWN\n" : "4: ACTIVE\n");
    files.add(rdma + "/ports/" + port + "/link_layer", "InfiniBand\n");
  }
  const auto nics = nics_of_sysfs(files);
  ASSERT_EQ(nics.size(), 1U);
  EXPECT_EQ(nics[0].rate, Bandwidth::gigabits_per_second(112));
  EXPECT_EQ(nics[0].pci->text(), "10000:01:00.0");
  EXPECT_FALSE(nics[0].numa);
  ASSERT_EQ(nics[0].pcie_path.size(), 1U);
  EXPECT_EQ(nics[0].pcie_path[0].text(), "10000:00:02.0");
}

using CapturedNics = test::Capture;

TEST_P(CapturedNics, GivesEachNicWithRateStateAndPlace) {
  std::map<std::string, Nic> nics;
  for (auto& nic : nics_of_sysfs(*files_)) nics[nic.name] = nic;
  ASSERT_EQ(nics.size(), 6U);  // five RDMA devices and eno1; ib0, ib1, ens2np0 belong to theirs, lo to none
  for (const char* name : {"mlx5_0", "mlx5_1"}) {
    EXPECT_EQ(nics.at(name).rate, Bandwidth::gigabits_per_second(400));
    EXPECT_EQ(nics.at(name).layer, Nic::Layer::infiniband);
    EXPECT_EQ(nics.at(name).numa, 0);
    EXPECT_TRUE(nics.at(name).up && nics.at(name).rdma);
  }
  EXPECT_EQ(nics.at("mlx5_0").netdev, "ib0");
  EXPECT_EQ(nics.at("mlx5_0").guid, "a088:c203:0040:0000");
  EXPECT_EQ(nics.at("mlx5_2").rate, Bandwidth::gigabits_per_second(200));
  EXPECT_EQ(nics.at("mlx5_2").layer, Nic::Layer::ethernet);
  EXPECT_EQ(nics.at("mlx5_2").netdev, "ens2np0");
  EXPECT_EQ(nics.at("mlx5_2").numa, 1);
  EXPECT_FALSE(nics.at("mlx5_3").up);
  EXPECT_FALSE(nics.at("mlx5_3").rate.known());
  EXPECT_EQ(nics.at("rdmap199s27").layer, Nic::Layer::efa);
  EXPECT_EQ(nics.at("rdmap199s27").rate, Bandwidth::gigabits_per_second(100));
  EXPECT_FALSE(nics.at("rdmap199s27").numa);
  EXPECT_EQ(nics.at("rdmap199s27").pci->text(), "0000:c7:1b.0");
  EXPECT_TRUE(nics.at("rdmap199s27").pcie_path.empty());
  EXPECT_EQ(nics.at("eno1").rate, Bandwidth::gigabits_per_second(25));
  EXPECT_FALSE(nics.at("eno1").rdma);
}

INSTANTIATE_TEST_SUITE_P(OfVersion, CapturedNics, testing::Values(1, 2),
                         [](const auto& version) { return std::to_string(version.param); });

}  // namespace
}  // namespace topolaunch::topo
