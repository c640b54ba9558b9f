// SPDX-License-Identifier: Apache-2.0
#include "topo/fabric_fuse.h"

#include <gmock/gmock.h>

#include "tests/topo/facts.h"

namespace topolaunch::topo {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const Origin kSlurm{"slurm", "topology.conf", 4};
const Origin kIb{"ibnetdiscover", "ib.txt", 9};

Fact box(const Origin& origin, const std::string& name, std::vector<std::string> hosts,
         const std::string& parent = "", double gigabytes = 0) {
  SwitchFact entry;
  entry.name = name;
  entry.parent = parent;
  entry.hosts = std::move(hosts);
  entry.uplink = Bandwidth::gigabytes_per_second(gigabytes);
  return {origin, "", entry};
}

TEST(FabricFuse, UsesTheMoreTrustedPictureWhateverCameFirst) {
  const auto topology =
      assembled({box(kSlurm, "s1", {"a", "b"}), box(kIb, "leaf-7", {"a", "b"}, "", 50)});
  ASSERT_EQ(topology.fabric.switches.size(), 1U);
  EXPECT_EQ(topology.fabric.switches[0].name, "leaf-7");
  EXPECT_TRUE(topology.warnings.empty());
}

TEST(FabricFuse, TakesRatesFromAnotherSourceOfTheSameSwitches) {
  const Origin ec2{"ec2", "t.json", 2};
  const auto topology =
      assembled({box(ec2, "nn-1", {"a", "b"}, "nn-top"), box(ec2, "nn-2", {"c"}, "nn-top"),
                 box(ec2, "nn-top", {}), box(kSlurm, "s1", {"a", "b"}, "", 50),
                 box(kSlurm, "s2", {"c"}, "", 25)});
  EXPECT_EQ(topology.fabric.switches[0].uplink, Bandwidth::gigabytes_per_second(50));
  EXPECT_EQ(topology.fabric.switches[1].uplink, Bandwidth::gigabytes_per_second(25));
  EXPECT_EQ(topology.fabric.switches.size(), 3U);
}

TEST(FabricFuse, NamesBothOriginsOfAContradiction) {
  const auto topology = assembled({box(kIb, "l1", {"a", "b"}), box(kIb, "l2", {"c", "d"}),
                                   box(kSlurm, "s1", {"a", "c"}), box(kSlurm, "s2", {"b", "d"})});
  EXPECT_EQ(topology.fabric.leaf_of_host, (std::vector<int>{0, 0, 1, 1}));
  ASSERT_EQ(count_of(topology, "fabric-conflict"), 1);
  EXPECT_THAT(message_of(topology, "fabric-conflict"),
              AllOf(HasSubstr("ibnetdiscover ib.txt:9"), HasSubstr("slurm topology.conf:4"),
                    HasSubstr("2 leaves differ")));
}

TEST(FabricFuse, ACoarserCutIsNoContradiction) {
  const auto topology = assembled({box(kIb, "l1", {"a", "b"}), box(kIb, "l2", {"c", "d"}),
                                   box(kSlurm, "rack", {"a", "b", "c", "d"})});
  EXPECT_EQ(count_of(topology, "fabric-conflict"), 0);
  const auto finer = assembled(
      {box(kIb, "l1", {"a", "b", "c"}), box(kSlurm, "x", {"a"}), box(kSlurm, "y", {"b", "c"})});
  EXPECT_EQ(count_of(finer, "fabric-conflict"), 0);
}

TEST(FabricFuse, PlacesWhatOnlyASecondSourceKnows) {
  const auto topology =
      assembled({box(kIb, "l1", {"a", "b", "g"}), box(kIb, "l2", {"e"}),
                 box(kSlurm, "s1", {"a", "b", "c"}), box(kSlurm, "s9", {"d"}),
                 box(kSlurm, "s8", {"g", "e", "f"})});
  const auto place = [&](std::size_t host) { return topology.fabric.leaf_of_host[host]; };
  ASSERT_EQ(topology.hosts.size(), 7U);  // in the order of mention: a b g e c d f
  EXPECT_EQ(place(4), place(0));
  EXPECT_EQ(topology.fabric.switches[static_cast<std::size_t>(place(5))].name, "s9");
  EXPECT_EQ(place(6), -1);  // its neighbours are on two leaves
  EXPECT_EQ(count_of(topology, "host-place-second-source"), 2);
}

TEST(FabricFuse, ANameThatTwoSourcesUseMeansTwoSwitches) {
  const auto topology = assembled({box(kIb, "leaf1", {"a"}), box(kSlurm, "leaf1", {"b"})});
  ASSERT_EQ(topology.fabric.switches.size(), 2U);
  EXPECT_NE(topology.fabric.switches[0].name, topology.fabric.switches[1].name);
}

}  // namespace
}  // namespace topolaunch::topo
