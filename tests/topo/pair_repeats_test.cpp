// SPDX-License-Identifier: Apache-2.0
#include "topo/pair_repeats.h"

#include <gmock/gmock.h>

#include "topo/matrix_market.h"
#include "topo/pair_csv.h"

namespace topolaunch::topo {
namespace {

/// What is noted of a table: code, line and message.
std::string notes(const std::string& text) {
  const auto facts = facts_from_pair_csv(text, "p.csv");
  EXPECT_TRUE(facts) << (facts ? "" : facts.error().text());
  std::string out;
  for (const auto& fact : facts.value_or(std::vector<Fact>())) {
    if (const auto* said = std::get_if<WarningFact>(&fact.what)) {
      out += said->warning.code + ":" + std::to_string(said->warning.line) + ": " +
             said->warning.message + "\n";
    }
  }
  return out;
}
Error refused(const std::string& text) {
  const auto facts = facts_from_pair_csv(text, "p.csv");
  return facts ? Error{} : facts.error();
}

TEST(PairRepeats, OfMeasurementsAreSaidOnceWithTheValueThatCounts) {
  EXPECT_EQ(
      notes("src,dst,latency_us\na,b,1\nb,a,2\na,b,3\nb,a,4\n"),
      "measured-repeated:4: a to b has another value on line 2 (2 such rows in all): of rates "
      "the median counts, of times the smallest\n");
  EXPECT_EQ(notes("src,dst,latency_us\na,b,1\na,b,1\nb,a,1\n"), "");
}

TEST(PairRepeats, AHostWithItselfIsSaidOnceAndPassedOver) {
  EXPECT_EQ(notes("src,dst,GB/s\na,a,900\na,b,1\nb,b,900\n"),
            "measured-self:2: a is paired with itself (2 such rows in all): that is no pair and "
            "passed over\n");
  EXPECT_EQ(facts_from_pair_csv("src,dst,GB/s\na,a,900\na,b,1\n", "p.csv")->size(), 2U);
  EXPECT_EQ(refused("src,dst,GB/s\na,a,900\n").message, "no pair of hosts has a value in it");
}

TEST(PairRepeats, TwoDistancesOfOnePairAreRefused) {
  const auto two = refused("src,dst,distance\na,b,3\nb,a,3\na,b,9\n");
  EXPECT_EQ(two.message, "'a' is 9 away from 'b', and 3 on line 2");
  EXPECT_EQ(two.line, 4);
  const auto self = refused("src,dst,hops\na,b,3\nb,b,9\n");
  EXPECT_EQ(self.message, "'b' is 9 away from itself");
  EXPECT_EQ(self.line, 3);
  EXPECT_EQ(notes("src,dst,hops\na,b,3\na,b,3\na,a,0\nb,a,4\n"), "");
}

TEST(PairRepeats, AreLookedForInCoordinatesAsWell) {
  const auto facts = facts_from_matrix_market(
      "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 2 3\n2 3 1\n1 2 9\n", "m.mtx");
  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().message, "'host0' is 9 away from 'host1', and 3 on line 3");
  EXPECT_EQ(facts.error().line, 5);
}

}  // namespace
}  // namespace topolaunch::topo
