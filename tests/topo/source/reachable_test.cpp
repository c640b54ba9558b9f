// SPDX-License-Identifier: Apache-2.0
#include "topo/source/reachable.h"

#include <gmock/gmock.h>

#include "tests/topo/source/fixed_source.h"

namespace topolaunch::topo {
namespace {

using test::discover_with;
using test::gpu;
using test::gpus;

TEST(Reachable, LetsNvmlDecideWhichGpusCanBeUsed) {
  const auto survey = discover_with(
      {{"hwloc", std::vector<Fact>{gpu("hwloc", "0000:01:00.0"), gpu("hwloc", "0000:02:00.0"),
                                   gpu("hwloc", "0000:03:00.0", 0x1002)}},
       {"nvml", std::vector<Fact>{gpu("nvml", "0000:02:00.0")}}});
  ASSERT_TRUE(survey);
  EXPECT_THAT(gpus(*survey), testing::UnorderedElementsAre("hwloc 0000:02:00.0", "nvml 0000:02:00.0",
                                                           "hwloc 0000:03:00.0"));
  EXPECT_TRUE(test::warned(survey->facts, "gpu-unreachable"));
}

TEST(Reachable, KeepsGpusOfTheBusWhereNvmlCouldNotBeAsked) {
  const auto survey = discover_with({{"sysfs", std::vector<Fact>{gpu("sysfs", "0000:01:00.0")}},
                                     {"nvml", fail(Code::unavailable, "no library")}});
  ASSERT_TRUE(survey);
  EXPECT_THAT(gpus(*survey), testing::ElementsAre("sysfs 0000:01:00.0"));
}

TEST(Reachable, NotesADeviceWithoutADriver) {
  PciFact device;
  device.pci = *PciAddress::parse("0000:01:00.0");
  device.pci_vendor = 0x10de;
  const auto survey = discover_with({{"sysfs", std::vector<Fact>{{{"sysfs", {}, 0}, "h", device}}},
                                     {"nvml", fail(Code::unavailable, "no driver")}});
  ASSERT_TRUE(survey);
  EXPECT_TRUE(gpus(*survey).empty());
  EXPECT_TRUE(test::warned(survey->facts, "gpu-without-driver"));
}

TEST(Reachable, LeavesFilesAlone) {
  const auto survey = discover_with({{"nccl-xml", std::vector<Fact>{gpu("nccl-xml", "0000:01:00.0")}},
                                     {"nvml", std::vector<Fact>{gpu("nvml", "0000:02:00.0")}}});
  ASSERT_TRUE(survey);
  EXPECT_EQ(gpus(*survey).size(), 2U);
}

}  // namespace
}  // namespace topolaunch::topo
