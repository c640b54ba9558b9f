// SPDX-License-Identifier: Apache-2.0
#include "topo/ib_fabric.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

#include "tests/topo/facts.h"
#include "tests/topo/ib_net.h"
#include "topo/ibnetdiscover.h"

namespace topolaunch::topo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Topology read(IbNet net) {
  auto facts = facts_from_ibnetdiscover(net.text(), "ib.txt");
  EXPECT_TRUE(facts.has_value()) << facts.error().text();
  return facts ? assembled(*facts) : Topology();
}
const Switch& leaf_of(const Topology& topology, std::size_t host) {
  return topology.fabric.switches[static_cast<std::size_t>(topology.fabric.leaf_of_host[host])];
}

TEST(IbFabric, MakesOneBoxOfSpinesThatReachTheSameLeaves) {
  const auto topology = read(fat_tree(4, 4, 2, 2));
  EXPECT_EQ(topology.hosts.size(), 16U);
  EXPECT_EQ(topology.hosts[2].name, "host2");  // natural order: host2 before host10
  std::vector<std::string> names;
  for (const auto& box : topology.fabric.switches) names.push_back(box.name);
  EXPECT_THAT(names, ElementsAre("leaf0", "leaf1", "leaf2", "leaf3", "spine0+spine1"));
  for (std::size_t l = 0; l < 4; ++l) {
    EXPECT_EQ(topology.fabric.switches[l].parent, 4);
    EXPECT_EQ(topology.fabric.switches[l].uplink, Bandwidth::gigabits_per_second(4 * 400));
  }
  EXPECT_EQ(topology.fabric.host_rate, Bandwidth::gigabits_per_second(400));
  EXPECT_TRUE(topology.warnings.empty());
}

TEST(IbFabric, PutsPodsBelowCores) {
  IbNet net;
  for (int pod = 0; pod < 2; ++pod) {
    for (int l = 0; l < 2; ++l) {
      const auto leaf = "S-leaf" + std::to_string(2 * pod + l);
      net.cable(leaf, 1, "H-" + std::to_string(pod) + std::to_string(l), 1);
      net.cable(leaf, 2, "S-spine" + std::to_string(pod), l + 1);
    }
    net.cable("S-spine" + std::to_string(pod), 9, "S-core", pod + 1);
  }
  const auto topology = read(net);
  EXPECT_EQ(leaf_of(topology, 0).level, 0);
  std::map<std::string, int> level;
  for (const auto& box : topology.fabric.switches) level[box.name] = box.level;
  EXPECT_EQ(level["spine0"], 1);
  EXPECT_EQ(level["core"], 2);
  EXPECT_EQ(topology.fabric.level_names, (std::vector<std::string>{"leaf", "spine", "core"}));
}

TEST(IbFabric, MakesOneLeafOfTheRailsOfTheSameHosts) {
  // topograph#70: hosts with an adapter on each of four rails.
  IbNet net;
  for (int group = 0; group < 2; ++group) {
    for (int rail = 0; rail < 4; ++rail) {
      const auto leaf = "S-leaf" + std::to_string(group) + "-" + std::to_string(rail);
      for (int h = 0; h < 3; ++h) {
        const auto card = "H-" + std::to_string(group) + std::to_string(h) + std::to_string(rail);
        net.words[card] = "dgx" + std::to_string(3 * group + h) + " mlx5_" + std::to_string(rail);
        net.cable(leaf, h + 1, card, 1);
      }
      net.cable(leaf, 30, "S-spine", group * 4 + rail + 1);
    }
  }
  const auto topology = read(net);
  ASSERT_EQ(topology.hosts.size(), 6U);
  EXPECT_EQ(topology.fabric.leaf_of_host, (std::vector<int>{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(topology.fabric.switches.size(), 3U);
  EXPECT_EQ(topology.fabric.switches[0].name, "leaf0-0+3");
  EXPECT_EQ(topology.fabric.switches[0].uplink, Bandwidth::gigabits_per_second(1600));
  EXPECT_EQ(topology.fabric.host_rate, Bandwidth::gigabits_per_second(1600));
}

TEST(IbFabric, AManagementHostMakesNoLeafOfASpineAndAStoreNoOneOfTwo) {
  auto net = fat_tree(4, 4, 2, 1);
  net.words["H-ufm"] = "ufm mlx5_0";
  net.cable("S-spine0", 60, "H-ufm", 1);
  net.words["H-store"] = "store HCA-1";
  net.cable("S-leaf0", 60, "H-store", 1);
  net.cable("S-leaf1", 60, "H-store", 2);
  const auto topology = read(net);
  EXPECT_EQ(topology.hosts.size(), 18U);
  EXPECT_EQ(topology.fabric.switches.size(), 5U);
  EXPECT_EQ(topology.fabric.switches[4].level, 1);
  EXPECT_EQ(leaf_of(topology, 17).name, "spine0+spine1");  // ufm
  EXPECT_EQ(leaf_of(topology, 16).name, "leaf0");          // the first of two equals
  EXPECT_EQ(count_of(topology, "ib-host-several-leaves"), 1);
}

TEST(IbFabric, LeavesOutAggregationNodesAndNamesTheNameless) {
  auto net = fat_tree(2, 2, 1, 1);
  net.words["H-a"] = "Mellanox Technologies Aggregation Node";
  net.cable("S-leaf0", 65, "H-a", 1);
  for (const char* id : {"H-a0", "H-a1"}) {
    net.words[id] = "MT4129 ConnectX7   Mellanox Technologies";
    net.cable("S-leaf1", 50 + id[3], id, 1);
  }
  net.words["H-b0"] = "localhost HCA-1";
  net.cable("S-leaf1", 40, "H-b0", 1);
  const auto topology = read(net);
  std::set<std::string> names;
  for (const auto& host : topology.hosts) names.insert(host.name);
  EXPECT_THAT(names, ElementsAre("host0", "host1", "host2", "host3", "ib-a0", "ib-a1", "ib-b0"));
  EXPECT_THAT(message_of(topology, "ib-host-unnamed"), HasSubstr("3 adapters"));
}

TEST(IbFabric, JoinsLeavesThatAreCabledToEachOther) {
  IbNet net;
  for (int s = 0; s < 3; ++s) {
    net.cable("S-" + std::to_string(s), 1, "H-" + std::to_string(s), 1);
    net.cable("S-" + std::to_string(s), 2 + s, "S-" + std::to_string((s + 1) % 3), 10 + s);
  }
  const auto topology = read(net);
  EXPECT_EQ(topology.fabric.switches.size(), 4U);
  EXPECT_EQ(topology.fabric.leaf_of_host, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(topology.fabric.switches[3].name, "subnet");
}

TEST(IbFaults, NameTheTrunkThatLacksALink) {
  auto net = fat_tree(4, 4, 2, 2);
  std::erase_if(net.cables,
                [](const IbNet::Cable& c) { return c.a == "S-leaf2" && c.port_a == 5; });
  const auto topology = read(net);
  EXPECT_EQ(count_of(topology, "ib-trunk-missing"), 1);
  EXPECT_THAT(message_of(topology, "ib-trunk-missing"),
              HasSubstr("leaf2 has 1 of 2 links to spine0 (port 5 has none)"));
}

TEST(IbFaults, NameTheNeighbourThatIsMissing) {
  auto net = fat_tree(4, 4, 4, 1);
  std::erase_if(net.cables,
                [](const IbNet::Cable& c) { return c.a == "S-leaf2" && c.b == "S-spine3"; });
  EXPECT_THAT(message_of(read(net), "ib-trunk-missing"),
              HasSubstr("leaf2 has no link to spine3, which 3 of its 3 neighbours have"));
}

TEST(IbFaults, NameTheLinkThatIsNarrowOrSlow) {
  auto net = fat_tree(3, 4, 2, 2);
  for (auto& cable : net.cables) {
    if (cable.a == "S-leaf1" && cable.b == "S-spine1" && cable.port_a == 7) cable.rate = "2xNDR";
    if (cable.b == "H-0x0") cable.rate = "4xHDR";  // an older adapter: no fault
    if (cable.b == "H-1x0") cable.rate = "1xNDR";
  }
  const auto topology = read(net);
  EXPECT_EQ(count_of(topology, "ib-link-slow"), 2);
}

TEST(IbFaults, CountManyOfAKind) {
  auto net = fat_tree(30, 2, 2, 2);
  std::erase_if(net.cables, [](const IbNet::Cable& c) {
    return c.b == "S-spine1" && c.port_b % 4 == 0 && c.a < "S-leaf29";
  });
  EXPECT_LE(count_of(read(net), "ib-trunk-missing"), 9);
}

}  // namespace
}  // namespace topolaunch::topo
