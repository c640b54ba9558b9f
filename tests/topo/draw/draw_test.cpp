// SPDX-License-Identifier: Apache-2.0
#include "topo/draw/draw.h"

#include <gmock/gmock.h>

#include "tests/topo/draw/sheets.h"
#include "topo/draw/svg.h"

namespace topolaunch::topo::draw {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const char* const kMachines[] = {"8 h100 nvswitch, 8 ndr",
                                 "8 v100, 4 nic",
                                 "8 a100, 8 hdr",
                                 "4 l40s",
                                 "16 v100 nvswitch",
                                 "64 t4, 64 efa",
                                 "gb200 4 ndr",
                                 "2 host, 8 h100",
                                 "16 host, 8 h100, 8 ndr, 4 host/leaf, 4:1",
                                 "18 host, 8 h100, 5 host/leaf",
                                 "64 host, 8 h100, 8 host/leaf, 4 leaf/spine",
                                 "200 host, 4 a100",
                                 "1024 host, 8 h100, 8 ndr, 32 host/leaf",
                                 "4096 host, 8 h200, 8 ndr, 32 host/leaf, 16 leaf/spine"};

TEST(Draw, HasNoWordsOverWords) {
  for (const char* spec : kMachines) {
    const Topology topology = machine(spec);
    for (const int size : {0, 2, 8, 100}) {
      const Ranks ranks = size > 0 ? one_a_gpu(topology, size) : Ranks();
      const Seen seen = read_back(svg_file(drawing_of(topology, &ranks)));
      ASSERT_FALSE(seen.words.empty()) << spec;
      EXPECT_EQ(clash(seen), "") << spec << ", groups of " << size;
    }
  }
}

TEST(Draw, StaysSmallHoweverManyHosts) {
  for (const char* spec : kMachines) {
    const Topology topology = machine(spec);
    const Ranks ranks = one_a_gpu(topology, 8);
    const std::string svg = svg_file(drawing_of(topology, &ranks));
    const Seen seen = read_back(svg);
    EXPECT_LE(seen.width, 2600) << spec;
    EXPECT_LE(seen.height, 2600) << spec;
    EXPECT_LT(svg.size(), 400'000U) << spec;
  }
}

TEST(Draw, NamesItselfForScreenReaders) {
  const Topology topology = machine("8 h100 nvswitch, 8 ndr");
  const Ranks ranks = one_a_gpu(topology, 4);
  const std::string svg = svg_file(drawing_of(topology, &ranks));
  const Seen seen = read_back(svg);
  EXPECT_EQ(seen.role, "img");
  EXPECT_THAT(seen.title, HasSubstr("8 x H100"));
  EXPECT_THAT(seen.description, HasSubstr("GPU 7: NUMA node 1, rank 7, tp 1."));
  EXPECT_THAT(svg, HasSubstr("<title>GPU 5, H100 80GB HBM3, rank 5, tp 1</title>"));
}

TEST(Draw, CountsWhatIsAlike) {
  const Topology topology = machine("1024 host, 8 h100, 8 ndr, 32 host/leaf, 4:1");
  const std::string svg = svg_file(drawing_of(topology, nullptr));
  EXPECT_THAT(svg, HasSubstr("32 hosts x 8 H100 80GB HBM3"));
  EXPECT_THAT(svg, HasSubstr("32 leaves alike"));
  const Ranks ranks = one_a_gpu(topology, 8);
  EXPECT_THAT(svg_file(drawing_of(topology, &ranks)), HasSubstr("ranks 0-8191"));
  EXPECT_THAT(svg, HasSubstr("below each of them"));
  EXPECT_THAT(svg, HasSubstr("25.6 Tb/s up, 4:1"));
}

TEST(Draw, ShowsEveryRankOfASmallCluster) {
  const Topology topology = machine("16 host, 8 h100, 8 ndr, 4 host/leaf, 4:1");
  const Ranks ranks = one_a_gpu(topology, 8);
  const std::string svg = svg_file(drawing_of(topology, &ranks));
  for (int rank = 0; rank < 128; ++rank) {
    EXPECT_THAT(svg, HasSubstr(fmt::format(">{}</text>", rank)));
  }
  EXPECT_THAT(svg, HasSubstr(">leaf3</text>"));
  EXPECT_THAT(svg, HasSubstr("4:1"));
}

TEST(Draw, TellsLinksApartWithoutColours) {
  const std::string svg = svg_file(drawing_of(machine("8 v100, 4 nic"), nullptr));
  EXPECT_THAT(svg, HasSubstr("class=\"l thick\""));
  EXPECT_THAT(svg, HasSubstr("2 NVLinks, 50 GB/s"));
  EXPECT_THAT(svg, HasSubstr("1 NVLink, 25 GB/s"));
  EXPECT_THAT(svg, HasSubstr("<title>GPU 0 to GPU 3: 2 NVLinks, 50 GB/s</title>"));
  EXPECT_THAT(svg_file(drawing_of(machine("4 l40s"), nullptr)), HasSubstr("no NVLink is known"));
}

TEST(Draw, SaysWhatIsNotKnown) {
  Topology topology = machine("2 host, 2 l40s, 1 host/leaf");
  topology.fabric.leaf_of_host[1] = -1;
  topology.hosts[1].name = "<lost>";
  const std::string svg = svg_file(drawing_of(topology, nullptr));
  EXPECT_THAT(svg, HasSubstr("Place not known"));
  EXPECT_THAT(svg, HasSubstr("&lt;lost&gt;"));
  EXPECT_THAT(svg, Not(HasSubstr("<lost>")));
  EXPECT_EQ(clash(read_back(svg)), "");
}

TEST(Draw, TakesAnEmptyTopologyAndAHostOfWhichNothingIsKnown) {
  EXPECT_THAT(svg_file(drawing_of(Topology(), nullptr)), HasSubstr("No host"));
  Topology topology;
  topology.hosts.resize(1);
  topology.hosts[0].name = std::string(400, 'W');
  EXPECT_EQ(clash(read_back(svg_file(drawing_of(topology, nullptr)))), "");
}

}  // namespace
}  // namespace topolaunch::topo::draw
