// SPDX-License-Identifier: Apache-2.0
#include "topo/source/this_machine.h"

#include <gtest/gtest.h>

namespace topolaunch::topo {
namespace {

using Kind = TopologyChoice::Kind;

TEST(TopologyChoice, IsThisMachineUnlessSomethingSaysOtherwise) {
  const auto choice = topology_choice({});
  EXPECT_EQ(choice.kind, Kind::operating_system);
  EXPECT_TRUE(choice.this_machine);
  EXPECT_FALSE(choice.captured_files);
  EXPECT_FALSE(topology_choice({{"TOPOLAUNCH_FSROOT", "/"}}).captured_files);
  EXPECT_TRUE(topology_choice({{"HWLOC_XMLFILE", ""}}).this_machine);
}

TEST(TopologyChoice, TakesHwlocsVariablesInItsOrder) {
  const Environment all{{"HWLOC_XMLFILE", "/x"}, {"HWLOC_SYNTHETIC", "s"}, {"HWLOC_FSROOT", "/f"}};
  EXPECT_EQ(topology_choice(all).value, "/x");
  EXPECT_EQ(topology_choice({{"HWLOC_SYNTHETIC", "s"}, {"HWLOC_FSROOT", "/f"}}).kind, Kind::synthetic);
  EXPECT_EQ(topology_choice({{"HWLOC_FSROOT", "/f"}}).kind, Kind::folder);
  EXPECT_FALSE(topology_choice({{"HWLOC_FSROOT", "/f"}}).this_machine);
}

TEST(TopologyChoice, BelievesThatAFileIsThisMachineIfVouchedFor) {
  EXPECT_TRUE(topology_choice({{"HWLOC_XMLFILE", "/x"}, {"HWLOC_THISSYSTEM", "1"}}).this_machine);
  EXPECT_FALSE(topology_choice({{"HWLOC_XMLFILE", "/x"}, {"HWLOC_THISSYSTEM", "0"}}).this_machine);
}

TEST(TopologyChoice, ReadsACaptureWithHwlocToo) {
  const auto capture = topology_choice({{"TOPOLAUNCH_FSROOT", "/c"}});
  EXPECT_EQ(capture.kind, Kind::folder);
  EXPECT_EQ(capture.value, "/c");
  EXPECT_TRUE(capture.captured_files);
  EXPECT_FALSE(capture.this_machine);
  const auto both = topology_choice({{"TOPOLAUNCH_FSROOT", "/c"}, {"HWLOC_XMLFILE", "/x"}});
  EXPECT_EQ(both.kind, Kind::xml);
  EXPECT_TRUE(both.captured_files);
}

}  // namespace
}  // namespace topolaunch::topo
