// SPDX-License-Identifier: Apache-2.0
#include "topo/link_rate.h"

#include <gmock/gmock.h>

namespace topolaunch::topo {
namespace {

using testing::HasSubstr;

Topology two_leaves() {
  Topology topology;
  topology.hosts.resize(2);
  topology.hosts[0].name = "h0";
  topology.fabric.switches = {{"l0", 2, 0, {}}, {"l1", 2, 0, {}}, {"s", -1, 1, {}}};
  topology.fabric.leaf_of_host = {0, 1};
  topology.fabric.level_names = {"leaf", "spine"};
  return topology;
}

std::string refusal(const std::string& text, Topology topology) {
  const Status ok = apply_link_rates(text, topology);
  return ok ? "taken" : ok.error().text();
}

TEST(LinkRate, FillsWhatAFileCannotCarry) {
  Topology topology = two_leaves();
  ASSERT_TRUE(apply_link_rates("host=200Mb/s,uplink=50mbit", topology));
  EXPECT_EQ(topology.fabric.host_rate, Bandwidth::megabits_per_second(200));
  EXPECT_EQ(topology.fabric.switches[1].uplink, Bandwidth::megabits_per_second(50));
  EXPECT_FALSE(topology.fabric.switches[2].uplink.known()) << "the root has no uplink";
  EXPECT_TRUE(topology.warnings.empty());
}

TEST(LinkRate, OneLevelByItsName) {
  Topology topology = two_leaves();
  topology.fabric.switches.push_back({"c", -1, 2, {}});
  topology.fabric.switches[2].parent = 3;
  topology.fabric.level_names.push_back("core");
  ASSERT_TRUE(apply_link_rates("spine=4Gb/s,uplink=1Gb/s", topology));
  EXPECT_EQ(topology.fabric.switches[0].uplink, Bandwidth::gigabits_per_second(1));
  EXPECT_EQ(topology.fabric.switches[2].uplink, Bandwidth::gigabits_per_second(4));
}

TEST(LinkRate, WinsOverNicsAndSaysSo) {
  Topology topology = two_leaves();
  Nic nic;
  nic.rate = Bandwidth::gigabits_per_second(10);
  topology.hosts[0].nics = {nic, nic};
  topology.hosts[1].nics = {nic};
  topology.hosts[1].nics[0].rate = Bandwidth();
  ASSERT_TRUE(apply_link_rates("host=200Mb/s", topology));
  EXPECT_EQ(topology.hosts[0].nics[1].rate, Bandwidth::megabits_per_second(100));
  EXPECT_EQ(topology.hosts[1].nics[0].rate, Bandwidth::megabits_per_second(200));
  ASSERT_EQ(topology.warnings.size(), 1U);
  EXPECT_THAT(topology.warnings[0].message, HasSubstr("network of h0"));
}

TEST(LinkRate, RefusesWhatItCannotMean) {
  EXPECT_THAT(refusal("200Mb/s", two_leaves()), HasSubstr("'200Mb/s' gives no rate"));
  EXPECT_THAT(refusal("host=fast", two_leaves()), HasSubstr("fast"));
  EXPECT_THAT(refusal("rack=1Gb/s", two_leaves()), HasSubstr("levels: host uplink leaf spine"));
  EXPECT_THAT(refusal("host=1Gb/s,host=2Gb/s", two_leaves()), HasSubstr("given twice"));
  EXPECT_THAT(refusal("uplink=1Gb/s", Topology()), HasSubstr("no source names a switch"));
  EXPECT_THAT(refusal("host=0Gb/s", two_leaves()), HasSubstr("0Gb/s"));
}

}  // namespace
}  // namespace topolaunch::topo
