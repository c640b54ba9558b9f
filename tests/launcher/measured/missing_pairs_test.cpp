// SPDX-License-Identifier: Apache-2.0
#include "launcher/measured/missing_pairs.h"

#include <gtest/gtest.h>

#include <limits>

namespace topolaunch::launcher {
namespace {

bench::PairFigure figure(const std::string& from, const std::string& to, const char* test = "t") {
  return {from, to, 1, test};
}

TEST(MissingPairs, AreCountedByTestAndTheFirstOnesNamed) {
  const std::vector<bench::PairFigure> figures{figure("a", "b"), figure("c", "b"),
                                               figure("a", "b", "u")};
  const auto checks = missing_pairs(figures, {"a", "b", "c", "d"}, "f");
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_EQ(checks[0].verdict, Outcome::could_not_test);
  EXPECT_EQ(checks[0].measured, "pairs without a figure: t: 4 of 6; u: 5 of 6");
  EXPECT_EQ(checks[0].suspect, "not measured: all pairs of d, a - c, b - c");
}

TEST(MissingPairs, AreNoneWhereOneDirectionIsThereOrFailed) {
  auto failed = figure("b", "c");
  failed.value = 0;
  EXPECT_TRUE(
      missing_pairs({figure("b", "a"), figure("a", "c"), failed}, {"a", "b", "c"}, "").empty());
}

TEST(MissingPairs, OfRanksAreThoseThatTopobenchDidNotReach) {
  bench::Measurement m;
  EXPECT_TRUE(missing_pairs(m, "").empty());
  m.pairs.emplace();
  m.pairs->ranks = {0, 3, 5};
  m.pairs->latency = bench::Matrix(3);
  m.pairs->latency.at(0, 1) = m.pairs->latency.at(1, 2) = 1e-6;
  const auto checks = missing_pairs(m, "f");
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_EQ(checks[0].measured, "pairs without a figure: latency: 1 of 3");
  EXPECT_EQ(checks[0].suspect, "not measured: rank 0 - rank 5");
}

}  // namespace
}  // namespace topolaunch::launcher
