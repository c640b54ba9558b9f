// SPDX-License-Identifier: Apache-2.0
#include "topo/matrix_market.h"

#include <gmock/gmock.h>

#include "tests/topo/facts.h"

namespace topolaunch::topo {
namespace {

using ::testing::HasSubstr;

std::vector<PairFact> read(const std::string& text) {
  auto facts = facts_from_matrix_market(text, "m.mtx");
  EXPECT_TRUE(facts.has_value()) << facts.error().text();
  std::vector<PairFact> pairs;
  for (const auto& fact : *facts) pairs.push_back(std::get<PairFact>(fact.what));
  return pairs;
}
Error refused(const std::string& text) {
  const auto facts = facts_from_matrix_market(text, "m.mtx");
  return facts ? Error{} : facts.error();
}

TEST(MatrixMarket, ReadsCoordinatesWithUnitAndHosts) {
  const auto pairs = read(
      "%%MatrixMarket matrix coordinate real symmetric\n% unit: GB/s\n% hosts: n[1-3]\n3 3 3\n2 1 "
      "12.5\n3 1 6\n3 3 9\n");
  ASSERT_EQ(pairs.size(), 2U);  // a host with itself is no pair
  EXPECT_EQ(pairs[0].a, "n2");
  EXPECT_EQ(pairs[0].b, "n1");
  EXPECT_DOUBLE_EQ(pairs[0].value, 12.5e9);
}

TEST(MatrixMarket, ReadsArraysColumnByColumn) {
  const auto general = read("%%MatrixMarket matrix array real general\n2 2\n0\n3\n4\n0\n");
  ASSERT_EQ(general.size(), 2U);
  EXPECT_EQ(general[0].a, "host1");
  EXPECT_EQ(general[0].b, "host0");
  EXPECT_EQ(general[0].of, PairFact::Of::distance);
  EXPECT_EQ(read("%%MatrixMarket matrix array integer symmetric\n2 2\n0\n3\n0\n").size(), 1U);
}

TEST(MatrixMarket, RefusesWithTheLine) {
  const std::string head = "%%MatrixMarket matrix coordinate real general\n";
  EXPECT_EQ(refused(head + "3 2 1\n").line, 2);
  EXPECT_EQ(refused(head + "3 3 2\n1 2 3\n").line, 3);
  EXPECT_EQ(refused(head + "3 3 1\n1 9 3\n").line, 3);
  EXPECT_EQ(refused(head + "3 3 1\n1 2 3\n1 3 3\n").line, 4);
  EXPECT_EQ(refused(head + "3 3 1\n1 2 x\n").line, 3);
  EXPECT_EQ(refused("%%MatrixMarket matrix coordinate complex general\n").line, 1);
  EXPECT_THAT(refused(head + "% hosts: a,b\n3 3 0\n").message,
              HasSubstr("2 hosts are named for 3"));
  EXPECT_THAT(refused(head + "% unit: furlongs\n").message, HasSubstr("furlongs"));
  EXPECT_EQ(refused(head).line, 1);
  EXPECT_EQ(refused(head + "3 3 2\n1 2 3\n2 3 -1\n").line, 4);
  EXPECT_THAT(refused(head + "3 3 2\n1 2 3\n2 2 5\n").message, HasSubstr("host 2 is 5 away"));
}

TEST(MatrixMarket, RecognisesItself) {
  EXPECT_TRUE(looks_like_matrix_market("%%MatrixMarket matrix"));
  EXPECT_TRUE(looks_like_matrix_market("%%matrixmarket matrix"));
  EXPECT_FALSE(looks_like_matrix_market("% MatrixMarket"));
}

}  // namespace
}  // namespace topolaunch::topo
