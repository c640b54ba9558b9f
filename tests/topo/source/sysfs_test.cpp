// SPDX-License-Identifier: Apache-2.0
#include "topo/source/sysfs.h"

#include <gmock/gmock.h>

#include "tests/support/memory_files.h"
#include "tests/topo/source/capture.h"
#include "topo/source/sysfs_pci.h"

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

TEST(SysfsGpus, OfAmdNeedTheirDriverAndItsDevice) {
  MemoryFiles files;
  const std::string folder = "/sys/devices/pci0000:c0/0000:c0:01.1/0000:c1:00.0";
  files.link("/sys/bus/pci/devices/0000:c1:00.0", folder);
  files.add(folder + "/vendor", "0x1002\n");
  files.add(folder + "/class", "0x120000\n");
  files.add(folder + "/numa_node", "3\n");
  files.add(folder + "/unique_id", "4a7c19da329a2b8c\n");
  files.add(folder + "/mem_info_vram_total", "206141652992\n");
  EXPECT_TRUE(gpus_of_sysfs(files, true).empty());
  files.add(folder + "/uevent", "DRIVER=amdgpu\nPCI_CLASS=120000\n");
  EXPECT_TRUE(gpus_of_sysfs(files, true).empty());
  files.add("/dev/kfd", "");
  const auto gpus = gpus_of_sysfs(files, true);
  ASSERT_EQ(gpus.size(), 1U);
  EXPECT_EQ(gpus[0].uuid, "GPU-4a7c19da329a2b8c");
  EXPECT_EQ(gpus[0].numa, 3);
  EXPECT_EQ(gpus[0].memory.count(), 206141652992);
}

TEST(SysfsGpus, AreNoScreens) {
  MemoryFiles files;
  const std::string folder = "/sys/devices/pci0000:00/0000:02:00.0";
  files.link("/sys/bus/pci/devices/0000:02:00.0", folder);
  files.add(folder + "/vendor", "0x1a03\n");
  files.add(folder + "/class", "0x030000\n");
  EXPECT_TRUE(gpus_of_sysfs(files, false).empty());
}

TEST(SysfsSource, IsUnavailableBesideAnotherMachinesCpus) {
  MemoryFiles files;
  add_netdev(files, "eth0", "/sys/devices/pci0000:00/0000:00:03.0");
  const test::TestOutside foreign(files, {{"HWLOC_XMLFILE", "/x.xml"}});
  const auto facts = SysfsSource("h").look(foreign.get());
  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().code, Code::unavailable);
  EXPECT_THAT(facts.error().message, testing::HasSubstr("HWLOC_XMLFILE=/x.xml"));
  const test::TestOutside vouched(files, {{"HWLOC_XMLFILE", "/x.xml"}, {"HWLOC_THISSYSTEM", "1"}});
  EXPECT_TRUE(SysfsSource("h").look(vouched.get()));
}

TEST(SysfsSource, TellsNothingFromNoPlaceToLook) {
  const MemoryFiles nothing;
  const test::TestOutside outside(nothing, {});
  const auto facts = SysfsSource("h").look(outside.get());
  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().code, Code::unavailable);
  MemoryFiles empty;
  empty.add("/sys/class/x/y", "");
  const test::TestOutside quiet(empty, {});
  const auto found = SysfsSource("h").look(quiet.get());
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->empty());
}

TEST(SysfsPci, ReadsNumbersAsTheKernelWritesThem) {
  MemoryFiles files;
  files.add("/a", "0x10de\n");
  files.add("/b", "-1\n");
  files.add("/c", "25 W\n");
  EXPECT_EQ(read_number(files, "/a"), 0x10de);
  EXPECT_EQ(read_number(files, "/b"), -1);
  EXPECT_FALSE(read_number(files, "/c"));
  EXPECT_FALSE(read_number(files, "/d"));
}

}  // namespace
}  // namespace topolaunch::topo
