// SPDX-License-Identifier: Apache-2.0
#include "topo/ibnetdiscover.h"

#include <gmock/gmock.h>

#include "tests/topo/facts.h"
#include "tests/topo/ib_net.h"

namespace topolaunch::topo {
namespace {

using ::testing::HasSubstr;

Topology read(const std::string& text) {
  auto facts = facts_from_ibnetdiscover(text, "ib.txt");
  EXPECT_TRUE(facts.has_value()) << facts.error().text();
  return facts ? assembled(*facts) : Topology();
}

TEST(Ibnetdiscover, CountsEachCableOnce) {
  const auto graph = ib_graph(fat_tree(2, 3, 2, 2).text());
  EXPECT_EQ(graph.nodes.size(), 10U);
  EXPECT_EQ(graph.links.size(), 14U);
  EXPECT_FALSE(graph.cut);
  EXPECT_EQ(graph.strange, 0);
  for (const auto& link : graph.links) {
    EXPECT_EQ(link.width, 4);
    EXPECT_EQ(link.speed, "NDR");
    EXPECT_EQ(link.rate, Bandwidth::gigabits_per_second(400));
  }
}

TEST(Ibnetdiscover, ReadsRatesBehindDescriptionsAndBeforeOtherWords) {
  const auto rate = [](const std::string& comment) {
    const auto graph = ib_graph("Switch\t8 \"S-1\"\t# \"leaf 4xEDR\" base\n[1]\t\"H-1\"[1](1)\t# " +
                                comment + "\n");
    return graph.links.at(0).rate;
  };
  EXPECT_EQ(rate("\"g1 HCA-1\" lid 3 4xHDR s=4 w=2 v=4 e=4"), Bandwidth::gigabits_per_second(200));
  EXPECT_EQ(rate("\"g1 4xNDR\" lid 3 2xNDR"), Bandwidth::gigabits_per_second(200));
  EXPECT_EQ(rate("\"g1\" lid 3 1xSDR"), Bandwidth::gigabits_per_second(2.5));
  EXPECT_FALSE(rate("\"g1 4xNDR\" lid 3").known());
}

TEST(Ibnetdiscover, ReadsALineAPort) {
  const auto topology = read(
      "CA    44  1 0x0000000000000001 4x EDR - SW    28  4 0x00000000000000a0 ( 'n1 HCA-1' - 'leaf "
      "- 1' )\n"
      "CA    45  1 0x0000000000000002 4x EDR - SW    28  5 0x00000000000000a0 ( 'n2 HCA-1' - 'leaf "
      "- 1' )\n"
      "SW    28  4 0x00000000000000a0 4x EDR - CA    44  1 0x0000000000000001 ( 'leaf - 1' - 'n1 "
      "HCA-1' )\n"
      "SW    28  9 0x00000000000000a0 4x ???                                    'leaf - 1'\n");
  ASSERT_EQ(topology.hosts.size(), 2U);
  EXPECT_EQ(topology.hosts[0].name, "n1");
  EXPECT_EQ(topology.fabric.switches.size(), 1U);
  EXPECT_EQ(topology.fabric.host_rate, Bandwidth::gigabits_per_second(100));
}

TEST(Ibnetdiscover, ReadsANetFileOfIbsim) {
  const auto topology = read(
      "# a net\nSwitch\t8 \"leaf1\"\n[1]\t\"host01\"[1] "
      "w=3\n[2]\t\"host02\"[1]\n[8]\t\"spine\"[1]\n\n"
      "Switch 8 \"leaf2\"\n[1]\t\"host03\"[1]\n[8] \"spine\"[2]\n\nSwitch 8 \"spine\"\n\n"
      "Hca 1 \"host01\"\n[1] \"leaf1\"[1]\nHca 1 \"host02\"\nHca 1 \"host03\"\n");
  EXPECT_EQ(topology.fabric.leaf_of_host, (std::vector<int>{0, 0, 1}));
  EXPECT_EQ(topology.fabric.switches.at(0).parent, 2);
}

TEST(Ibnetdiscover, SaysThatADumpIsCut) {
  auto text = fat_tree(2, 3, 2, 2).text();
  const auto whole = read(text);
  EXPECT_EQ(count_of(whole, "ib-partial"), 0);
  // Switches come last in this dump: the second spine's record is torn.
  const auto cut = text.substr(0, text.rfind("\"spine1\"") + 3);
  EXPECT_EQ(count_of(read(text.substr(0, text.size() - 20)), "ib-partial"), 1) << cut;
}

TEST(Ibnetdiscover, RefusesWhatHasNoLinks) {
  const auto refused = [](const std::string& text) {
    return facts_from_ibnetdiscover(text, "ib.txt").error();
  };
  EXPECT_THAT(refused("Ca\t : 0x01 ports 1 devid 0x1021 vendid 0x2c9 \"n1\"\n").message,
              HasSubstr("-l"));
  EXPECT_THAT(refused("Ca\t1 \"H-1\"\t\t# \"n1 HCA-1\"\n").message, HasSubstr("cut off"));
  EXPECT_THAT(refused("Switch\t8 \"S-1\"\t# \"a\"\n[1]\t\"S-2\"[1]\t# \"b\" lid 1 4xNDR\n").message,
              HasSubstr("no switch with a host"));
}

TEST(Ibnetdiscover, CountsLinesThatItCannotRead) {
  auto net = fat_tree(1, 2, 0, 0);
  const auto topology = read(net.text() + "[x] \"S\"\n[1] nothing\n");
  EXPECT_THAT(message_of(topology, "ib-strange-line"), HasSubstr("2 lines"));
}

TEST(Ibnetdiscover, RecognisesItself) {
  EXPECT_TRUE(
      looks_like_ibnetdiscover("#\n# Topology file: "
                               "...\n#\n\nvendid=0x2c9\ndevid=0x1\nsysimgguid=0x1\nswitchguid=0x1("
                               "1)\nSwitch\t65 \"S-1\"\t# \"a\"\n"));
  EXPECT_TRUE(looks_like_ibnetdiscover("\nNon-Chassis Nodes\n\nCa\t2 \"H-1\"\n"));
  EXPECT_TRUE(looks_like_ibnetdiscover("Hca 1 \"host01\"\n"));
  EXPECT_FALSE(looks_like_ibnetdiscover("Switches are nice\n"));
  EXPECT_FALSE(looks_like_ibnetdiscover("SX6036\tswitch1\n\tP1 ->\tSX6036 switch2 P1\n"));
  EXPECT_FALSE(looks_like_ibnetdiscover(""));
}

}  // namespace
}  // namespace topolaunch::topo
