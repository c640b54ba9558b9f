// SPDX-License-Identifier: Apache-2.0
#include "mapping/traffic.h"

#include <gmock/gmock.h>

namespace topolaunch::mapping {
namespace {

std::vector<std::tuple<int, int, std::int64_t>> edges_of(const RankGraph& graph) {
  std::vector<std::tuple<int, int, std::int64_t>> edges;
  for (const auto& edge : graph.edges) edges.emplace_back(edge.a, edge.b, edge.bytes);
  return edges;
}

const std::vector<std::tuple<int, int, std::int64_t>> kThree = {{0, 1, 5}, {1, 2, 7}};

TEST(Traffic, ReadsTheSameGraphFromEveryFormat) {
  const char* texts[] = {
      "0 2 0\n3 0 7\n0 0 0\n",                                                       // blanks
      "0,2,0\n3,0,6.5\n0,0,0",                                                       // CSV, fraction up
      "# comment\n0 2 0\n\n3 0 7\r\n0 0 0\n",                                          // comment, empty line, CRLF
      "%%MatrixMarket matrix coordinate integer general\n% c\n3 3 3\n1 2 2\n2 1 3\n2 3 7\n",
      "%%MatrixMarket matrix array real general\n3 3\n0\n3\n0\n2\n0\n0\n0\n7\n0\n",     // column by column
      "3 2 001\n2 5\n1 5 3 7\n2 7\n",                                                 // METIS
  };
  for (const char* text : texts) {
    const auto graph = graph_from_traffic(text, "t");
    ASSERT_TRUE(graph) << text << graph.error().text();
    EXPECT_EQ(graph->ranks, 3) << text;
    EXPECT_EQ(edges_of(*graph), kThree) << text;
  }
}

TEST(Traffic, ASymmetricMatrixCountsBothDirections) {
  const auto graph = graph_from_traffic("%%MatrixMarket matrix coordinate integer symmetric\n2 2 1\n2 1 4\n", "t");
  ASSERT_TRUE(graph);
  EXPECT_EQ(graph->edges.front().bytes, 8);
}

TEST(Traffic, AMetisVertexMayHaveNoNeighbour) {
  const auto graph = graph_from_traffic("4 1\n2\n1\n\n\n", "t");
  ASSERT_TRUE(graph) << graph.error().text();
  EXPECT_EQ(graph->ranks, 4);
}

TEST(Traffic, ASmallMetisGraphIsNoMatrix) {
  // As many lines as the first has numbers.
  for (const char* text : {"2 1 1\n2 5\n1 5\n", "2 1 11\n7 2 5\n9 1 5\n", "4 1 1\n2 5\n1 5\n", "3 1\n2\n1\n\n", "5 1 1\n2 5\n1 5\n\n\n\n"}) {
    const auto graph = graph_from_traffic(text, "t");
    ASSERT_TRUE(graph) << text << graph.error().text();
    ASSERT_EQ(graph->edges.size(), 1U) << text;
    EXPECT_EQ(graph->ranks, text[0] - '0') << text;
  }
  // A square of numbers that does not hold as a graph.
  const auto matrix = graph_from_traffic("2 1\n1 2\n", "t");
  ASSERT_TRUE(matrix);
  EXPECT_EQ(edges_of(*matrix), (std::vector<std::tuple<int, int, std::int64_t>>{{0, 1, 2}}));
}

TEST(Traffic, MatricesMayNameRowsAndColumns) {
  for (const char* text : {",0,1,2\n0,0,2,0\n1,3,0,7\n2,0,0,0\n", "rank,r0,r1,r2\nr0,0,2,0\nr1,3,0,7\nr2,0,0,0\n", "r0 r1 r2\n0 2 0\n3 0 7\n0 0 0\n",
                           "src,dst,bytes\n0,1,2\n1,0,3\n1,2,7\n", "id;Source;Target;Weight\na;0;1;5\nb;2;1;7\n"}) {
    const auto graph = graph_from_traffic(text, "t");
    ASSERT_TRUE(graph) << text << graph.error().text();
    EXPECT_EQ(graph->ranks, 3) << text;
    EXPECT_EQ(edges_of(*graph), kThree) << text;
  }
  const auto wrong = graph_from_traffic("src,dst,bytes\n0,1,2\n1,x,3\n", "t");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().line, 3);
  EXPECT_NE(graph_from_traffic(std::string("\x93NUMPY\x01\0v\n", 10), "t").error().next.find("savetxt"), std::string::npos);
}

TEST(Traffic, NumbersBelowOneAreShares) {
  const auto graph = graph_from_traffic("0 0.5 0\n0 0 0.001\n0.25 0 0\n", "t");
  ASSERT_TRUE(graph);
  constexpr std::int64_t kGib = std::int64_t{1} << 30;
  EXPECT_EQ(edges_of(*graph), (std::vector<std::tuple<int, int, std::int64_t>>{{0, 1, kGib}, {0, 2, kGib / 2}, {1, 2, 2147484}}));
  EXPECT_NE(graph->origin.find("shares"), std::string::npos);
}

TEST(Traffic, NamesTheLineOfEveryFault) {
  const struct {
    const char* text;
    int line;
    const char* says;
  } rows[] = {
      {"", 0, "no numbers"},
      {"0 1\n1 x\n", 2, "'x'"},
      {"0 1\n-1 0\n", 2, "negative"},
      {"0 1 2\n1 0\n2 2 0\n", 2, "2 numbers in row 2"},
      {"0 1\n1 0 3\n", 2, "more than 2"},
      {"0 1\n1 0\n\n# c\n0 0\n", 1, "2 numbers in row 1"},
      {"0 nan\n1 0\n", 1, "'nan'"},
      {"0 1e300\n1 0\n", 1, "2^62"},
      {"0 4e18\n4e18 0\n", 2, "add up"},
      {"%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 2 1 1\n", 1, "is not read"},
      {"%%MatrixMarket matrix coordinate real general\n2 3 1\n1 2 1\n", 2, "not square"},
      {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 1\n", 3, "'3'"},
      {"%%MatrixMarket matrix coordinate real general\n2 2 5\n1 2 1\n", 2, "5 entries"},
      {"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n", 5, "ends at entry"},
      {"3 2\n2\n1 3\n\n", 3, "both ends"},
      {"3 5\n2\n1 3\n2\n", 1, "5 edges"},
      {"3 2\n2\n1 9\n2\n", 3, "'9'"},
  };
  for (const auto& row : rows) {
    const auto graph = graph_from_traffic(row.text, "t.txt");
    ASSERT_FALSE(graph) << row.text;
    EXPECT_EQ(graph.error().code, Code::invalid_input);
    EXPECT_EQ(graph.error().line, row.line) << row.text << graph.error().text();
    EXPECT_EQ(graph.error().file, "t.txt");
    EXPECT_THAT(graph.error().message, ::testing::HasSubstr(row.says)) << row.text;
  }
}

TEST(Traffic, KeepsTheSumOfTwoHugeDirections) {
  const auto graph = graph_from_traffic("0 1099511627776\n1099511627776 0\n", "t");
  ASSERT_TRUE(graph);
  EXPECT_EQ(graph->edges.front().bytes, std::int64_t{1} << 41);
}

}  // namespace
}  // namespace topolaunch::mapping
