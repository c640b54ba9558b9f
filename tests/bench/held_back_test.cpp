// SPDX-License-Identifier: Apache-2.0
#include "bench/held_back.h"

#include <gmock/gmock.h>

#include "tests/bench/simulated_pairs.h"

namespace topolaunch::bench {
namespace {

using testing::HasSubstr;

TEST(HeldBack, AHostIsNamedByTheKernelsCountEvenWhereItLooksAsFastAsOthers) {
  Measurement m = simulate({}, 1);
  m.pairs->held_back.assign(m.pairs->ranks.size(), 0);
  m.pairs->held_back[4] = 0.9;
  const Findings found = culprits_of_pairs(m);
  ASSERT_EQ(found.culprits.size(), 1u);
  EXPECT_EQ(found.culprits[0].name, "host h5");
  EXPECT_THAT(found.culprits[0].evidence, HasSubstr("holds it back 90 %"));
  EXPECT_THAT(found.culprits[0].confirm, HasSubstr("cpu.max"));
}

TEST(HeldBack, WhatElseSpeaksAgainstTheHostIsAddedToIt) {
  SimulatedMachine machine;
  machine.host_factor[4] = 0.3;
  Measurement m = simulate(machine, 1);
  const double before = culprits_of_pairs(m).culprits.at(0).confidence;
  m.pairs->held_back.assign(m.pairs->ranks.size(), -1);
  m.pairs->held_back[4] = 0.7;
  const Findings found = culprits_of_pairs(m);
  ASSERT_EQ(found.culprits.size(), 1u);
  EXPECT_EQ(found.culprits[0].name, "host h5");
  EXPECT_GT(found.culprits[0].confidence, before);
  EXPECT_THAT(found.culprits[0].evidence, HasSubstr("own memory"));
}

TEST(HeldBack, AHiccupOfAQuotaThatSufficesNamesNobody) {
  Measurement m = simulate({}, 1);
  m.pairs->held_back.assign(m.pairs->ranks.size(), 0.1);
  EXPECT_TRUE(culprits_of_pairs(m).culprits.empty());
}

TEST(HeldBack, TwoRanksOfOneHostAreOneName) {
  PairMatrix pairs;
  pairs.held_back = {0.5, 0.8, -1, 0};
  const auto found = hosts_held_back(pairs, {"a", "a", "b", "b"});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].host, "a");
  EXPECT_DOUBLE_EQ(found[0].share, 0.8);
}

}  // namespace
}  // namespace topolaunch::bench
