// SPDX-License-Identifier: Apache-2.0
#include "topo/dot.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "tests/topo/draw/sheets.h"

namespace topolaunch::topo {
namespace {

using ::testing::HasSubstr;

TEST(Dot, DrawsLinksOfOneHostAsEdges) {
  const std::string text = to_dot(draw::machine("8 v100, 4 nic"), nullptr);
  EXPECT_THAT(text, HasSubstr("gpu0 -- gpu3 [label=\"NV2\" penwidth=3];"));
  EXPECT_THAT(text, HasSubstr("subgraph cluster_0 {"));
  EXPECT_THAT(text, HasSubstr("label=\"NUMA 1\\nCPUs"));
}

TEST(Dot, CollapsesAClusterAndKeepsRanks) {
  const Topology small = draw::machine("16 host, 8 h100, 8 ndr, 4 host/leaf, 4:1");
  const draw::Ranks ranks = draw::one_a_gpu(small, 8);
  EXPECT_THAT(to_dot(small, &ranks), HasSubstr("ranks 120-127\\ntp 15"));
  EXPECT_THAT(to_dot(draw::machine("1024 host, 8 h100, 32 host/leaf"), nullptr),
              HasSubstr("32 leaves alike"));
}

TEST(Dot, QuotesWhatFilesSay) {
  Topology topology = draw::machine("2 host, 2 a100");
  topology.hosts[0].name = "a\"]; evil [x=\"\\";
  EXPECT_THAT(to_dot(topology, nullptr), HasSubstr("a\\\"]; evil [x=\\\"\\\\"));
}

TEST(Dot, IsAcceptedByGraphviz) {
  if (std::system("dot -V >/dev/null 2>&1") != 0) GTEST_SKIP() << "no dot (apt: graphviz)";
  for (const char* spec : {"8 h100 nvswitch, 8 ndr", "8 v100, 4 nic", "gb200 4 ndr",
                           "16 host, 8 h100, 8 ndr, 4 host/leaf, 4:1", "200 host, 4 a100"}) {
    const Topology topology = draw::machine(spec);
    const draw::Ranks ranks = draw::one_a_gpu(topology, 4);
    const std::string file = ::testing::TempDir() + "topolaunch_dot_test.dot";
    std::ofstream(file) << to_dot(topology, &ranks);
    EXPECT_EQ(std::system(("dot -Tsvg -o /dev/null " + file + " 2>&1").c_str()), 0) << spec;
    std::remove(file.c_str());
  }
}

}  // namespace
}  // namespace topolaunch::topo
