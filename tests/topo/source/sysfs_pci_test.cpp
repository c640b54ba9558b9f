// SPDX-License-Identifier: Apache-2.0
#include "topo/source/sysfs_pci.h"

#include <gtest/gtest.h>

#include "tests/support/memory_files.h"

namespace topolaunch::topo {
namespace {

using test::MemoryFiles;

TEST(SysfsPci, ReadsADeviceFromTheFolderOfItsNetdev) {
  MemoryFiles files;
  const std::string folder = "/sys/devices/pci10000:00/10000:00:02.0/10000:01:00.0";
  files.link("/sys/class/net/eth0", folder + "/virtio3/net/eth0");
  files.link(folder + "/virtio3/net/eth0/device", folder + "/virtio3");
  files.add(folder + "/virtio3/modalias", "x");
  files.add(folder + "/numa_node", "3\n");
  files.add(folder + "/vendor", "0x10de\n");
  files.add(folder + "/class", "0x030200\n");
  files.add(folder + "/current_link_speed", "16.0 GT/s PCIe\n");
  files.add(folder + "/current_link_width", "8\n");
  const auto device = read_pci_device(files, "/sys/class/net/eth0/device");
  ASSERT_TRUE(device);
  EXPECT_EQ(device->address.text(), "10000:01:00.0");
  ASSERT_EQ(device->above.size(), 1U);
  EXPECT_EQ(device->above[0].text(), "10000:00:02.0");
  EXPECT_EQ(device->numa, 3);
  EXPECT_EQ(device->vendor, 0x10deU);
  EXPECT_EQ(device->device_class, 0x030200U);
  EXPECT_EQ(device->generation, 4);
  EXPECT_EQ(device->width, 8);
  EXPECT_EQ(device->generation_max, 0);
  EXPECT_FALSE(read_pci_device(files, "/sys/devices/virtual/net/lo"));
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
