// SPDX-License-Identifier: Apache-2.0
#include "topo/draw/ranks.h"

#include <gtest/gtest.h>

#include "tests/topo/draw/sheets.h"
#include "topo/draw/svg.h"

namespace topolaunch::topo::draw {
namespace {

TEST(RankIndex, FindsRanksByPlace) {
  const Topology topology = machine("2 host, 4 a100");
  const Ranks ranks = one_a_gpu(topology, 2);
  const RankIndex index(ranks);
  const auto here = index.at(topology.hosts[1].name, 2);
  ASSERT_EQ(here.size(), 1U);
  EXPECT_EQ(here[0]->rank, 6);
  EXPECT_EQ(rank_list(index.on(topology.hosts[1].name)), "ranks 4-7");
  EXPECT_EQ(group_list(ranks, index.on(topology.hosts[1].name)), "tp 2-3");
  EXPECT_EQ(group_list(ranks, here), "tp 3");
  EXPECT_TRUE(index.on("elsewhere").empty());
  EXPECT_EQ(rank_list({}), "");
}

TEST(Legend, NamesEveryGroupOrCountsTheRest) {
  for (const int hosts : {2, 40}) {
    const Topology topology = machine(std::to_string(hosts) + " host, 8 a100");
    const Ranks ranks = one_a_gpu(topology, 8);
    Drawing sheet;
    EXPECT_EQ(legend(sheet, ranks, 10, 10, 600), 10);  // nothing is coloured
    Box box{10, 0, 5, 5, Tone::gpu};
    box.group = 0;
    sheet.box(box);
    legend(sheet, ranks, 10, 10, 600);
    sheet.reach(700, sheet.height + 10);
    const Seen seen = read_back(svg_file(sheet));
    EXPECT_EQ(clash(seen), "");
    EXPECT_EQ(seen.words.back().text, hosts == 2 ? "tp 1: ranks 8-15" : "and 16 more");
  }
}

}  // namespace
}  // namespace topolaunch::topo::draw
