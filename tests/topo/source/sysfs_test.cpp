// SPDX-License-Identifier: Apache-2.0
#include "topo/source/sysfs.h"

#include <gmock/gmock.h>

#include <map>

#include "tests/support/memory_files.h"
#include "tests/topo/source/capture.h"

namespace topolaunch::topo {
namespace {

using test::MemoryFiles;

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
  files.add("/sys/class/net/x/y", "");
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

using CapturedGpus = test::Capture;

TEST_P(CapturedGpus, GivesGpusThatTheDriverVouchesForAndNoScreen) {
  const auto gpus = gpus_of_sysfs(*files_, false);
  ASSERT_EQ(gpus.size(), 4U);
  std::map<std::string, GpuFact> by_pci;
  for (const auto& gpu : gpus) by_pci[gpu.pci->text()] = gpu;
  EXPECT_EQ(by_pci.at("0000:18:00.0").numa, 0);
  EXPECT_EQ(by_pci.at("0000:1a:00.0").numa, 0);
  EXPECT_EQ(by_pci.at("0000:9a:00.0").numa, 1);
  const GpuFact& slow = by_pci.at("0000:9c:00.0");
  EXPECT_EQ(slow.numa, 1);
  EXPECT_EQ(slow.pcie_generation, 3);
  EXPECT_EQ(slow.pcie_width, 8);
  EXPECT_EQ(slow.pcie_generation_max, 5);
  EXPECT_EQ(slow.pcie_width_max, 16);
  EXPECT_EQ(by_pci.at("0000:18:00.0").uuid, "GPU-0f3a1100-1c2d-4e5f-8091-a2b3c4d5e600");
  EXPECT_EQ(by_pci.at("0000:18:00.0").model, "NVIDIA H100 PCIe");
  // Two GPUs of a socket hang below one switch.
  EXPECT_EQ(by_pci.at("0000:18:00.0").pcie_path.at(1), by_pci.at("0000:1a:00.0").pcie_path.at(1));
  EXPECT_NE(by_pci.at("0000:18:00.0").pcie_path.at(1), slow.pcie_path.at(1));
  // In a container /sys shows them though /dev doesn't.
  EXPECT_TRUE(gpus_of_sysfs(*files_, true).empty());
}

INSTANTIATE_TEST_SUITE_P(OfVersion, CapturedGpus, testing::Values(1, 2),
                         [](const auto& version) { return std::to_string(version.param); });

}  // namespace
}  // namespace topolaunch::topo
