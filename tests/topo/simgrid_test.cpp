// SPDX-License-Identifier: Apache-2.0
#include "topo/simgrid.h"

#include <gmock/gmock.h>

#include "tests/topo/draw/sheets.h"

namespace topolaunch::topo {
namespace {

using ::testing::HasSubstr;

TEST(Simgrid, WritesEachGpuAsAHost) {
  const Topology topology = draw::machine("16 host, 8 h100, 8 ndr, 4 host/leaf, 4:1");
  const auto text = simgrid_platform(topology);
  ASSERT_TRUE(text) << text.error().text();
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(text->c_str()));
  const auto zone = document.child("platform").child("zone");
  EXPECT_EQ(std::string(document.child("platform").attribute("version").value()), "4.1");
  EXPECT_EQ(document.select_nodes("//host").size(), 128U);
  EXPECT_EQ(document.select_nodes("//router").size(), 16U + 4U + 1U);
  EXPECT_EQ(document.select_nodes("//link").size(), 128U + 16U + 4U);
  EXPECT_EQ(document.select_nodes("//route").size(), 2U * (128U + 16U + 4U));
  const auto uplink = zone.find_child_by_attribute("link", "id", "leaf0_spine0");
  EXPECT_EQ(uplink ? uplink.attribute("bandwidth").value() : "", std::string("400000000000Bps"))
      << *text;
}

TEST(Simgrid, LinksAMeshDirectly) {
  const auto text = simgrid_platform(draw::machine("8 v100"));
  ASSERT_TRUE(text) << text.error().text();
  EXPECT_THAT(*text, HasSubstr(".gpu3_"));
  EXPECT_THAT(*text, HasSubstr("bandwidth=\"50000000000Bps\""));
}

TEST(Simgrid, InventsNothing) {
  Topology topology = draw::machine("4 host, 8 h100, 8 ndr, 2 host/leaf");
  topology.fabric.switches[0].uplink = {};
  const auto text = simgrid_platform(topology);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Code::unavailable);
  EXPECT_THAT(text.error().message, HasSubstr("uplink of " + topology.fabric.switches[0].name));
  topology.fabric = {};
  const auto nowhere = simgrid_platform(topology);
  ASSERT_FALSE(nowhere);
  EXPECT_THAT(nowhere.error().message, HasSubstr("place of"));
}

TEST(Simgrid, RefusesNamesThatMeet) {
  Topology topology = draw::machine("2 host, 8 h100, 8 ndr, 1 host/leaf");
  topology.hosts[1].name = topology.fabric.switches[0].name;
  EXPECT_FALSE(simgrid_platform(topology));
}

}  // namespace
}  // namespace topolaunch::topo
