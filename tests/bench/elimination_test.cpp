// SPDX-License-Identifier: Apache-2.0
#include "bench/elimination.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace topolaunch::bench {
namespace {

/// All pairs of `n` parts, each over both of them and over a part of its own (n, n+1, ...).
std::vector<Sample> pairs_of(std::size_t n, double scatter, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, scatter);
  std::vector<Sample> samples;
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = a + 1; b < n; ++b) {
      samples.push_back({100 * std::exp(noise(random)), 0, {a, b, n + samples.size()}});
    }
  }
  return samples;
}

void slow_down(std::vector<Sample>& samples, std::size_t part, double factor) {
  for (Sample& s : samples) {
    if (std::find(s.parts.begin(), s.parts.end(), part) != s.parts.end()) s.value *= factor;
  }
}

TEST(Elimination, ASoundMachineHasNoCulprit) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    for (const double scatter : {0.005, 0.03, 0.08}) {
      const auto found = eliminate(pairs_of(10, scatter, seed), 10 + 45);
      EXPECT_TRUE(found.blames.empty()) << "seed " << seed << " scatter " << scatter;
      EXPECT_EQ(found.judged, 45);
    }
  }
}

TEST(Elimination, TheSlowPartIsBlamedAndNoOther) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    auto samples = pairs_of(10, 0.05, seed);
    slow_down(samples, 3, 0.5);
    const auto found = eliminate(samples, 10 + 45);
    ASSERT_EQ(found.blames.size(), 1u) << "seed " << seed;
    EXPECT_EQ(found.blames[0].part, 3u);
    EXPECT_NEAR(found.blames[0].ratio, 0.5, 0.07);
    EXPECT_EQ(found.blames[0].all, 9);
    EXPECT_GT(found.blames[0].confidence(), 0.8);
  }
}

TEST(Elimination, TwoSlowPartsAndASinglePathAreToldApart) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    auto samples = pairs_of(12, 0.03, seed);
    slow_down(samples, 2, 0.6);
    slow_down(samples, 7, 0.4);
    const std::size_t path = samples.back().parts[2];  // between 10 and 11
    slow_down(samples, path, 0.25);
    const auto found = eliminate(samples, 12 + 66);
    ASSERT_EQ(found.blames.size(), 3u) << "seed " << seed;
    EXPECT_EQ(found.blames[0].part, 7u);
    EXPECT_EQ(found.blames[1].part, 2u);
    EXPECT_EQ(found.blames[2].part, path);
  }
}

TEST(Elimination, PartsThatCannotBeToldApartAreBothNamed) {
  auto samples = pairs_of(8, 0.01, 1);
  for (Sample& s : samples) {
    if (s.parts[0] == 0) s.parts.push_back(100);  // always together with part 0
  }
  slow_down(samples, 100, 0.5);
  const auto found = eliminate(samples, 101);
  ASSERT_EQ(found.blames.size(), 1u);
  EXPECT_EQ(found.blames[0].part, 0u);
  EXPECT_EQ(found.blames[0].or_part, std::vector<std::size_t>{100});
}

TEST(Elimination, AFewFiguresAreNotJudged) {
  const auto found = eliminate({{1, 0, {0}}, {100, 0, {1}}, {100, 0, {2}}}, 3);
  EXPECT_EQ(found.judged, 0);
  EXPECT_EQ(found.not_judged, 3);
  EXPECT_TRUE(found.blames.empty());
}

TEST(Elimination, KindsAreHeldAgainstThemselvesAlone) {
  auto samples = pairs_of(8, 0.01, 2);
  for (std::size_t i = 0; i < samples.size(); i += 2) {
    samples[i].kind = 1;
    samples[i].value /= 10;  // a slower kind of path, not a fault
  }
  EXPECT_TRUE(eliminate(samples, 8 + 28).blames.empty());
}

TEST(Elimination, TwoKindsOfPathThatNobodyToldApartAreNoFault) {
  // Two leaves of four: half of all pairs cross, each host has as many that do.
  auto samples = pairs_of(8, 0.01, 4);
  for (Sample& s : samples) {
    if ((s.parts[0] < 4) != (s.parts[1] < 4)) s.value /= 2;
  }
  EXPECT_TRUE(eliminate(samples, 8 + 28).blames.empty());
  samples.back().value /= 8;  // between 6 and 7, and slower than any path
  const auto found = eliminate(samples, 8 + 28);
  ASSERT_EQ(found.blames.size(), 1u);
  EXPECT_EQ(found.blames[0].part, samples.back().parts[2]);
}

TEST(Elimination, WhatFailedIsSlowerThanAnything) {
  auto samples = pairs_of(8, 0.01, 3);
  slow_down(samples, 5, 0);
  const auto found = eliminate(samples, 8 + 28);
  ASSERT_EQ(found.blames.size(), 1u);
  EXPECT_EQ(found.blames[0].part, 5u);
  EXPECT_EQ(found.blames[0].failed, 7);
}

}  // namespace
}  // namespace topolaunch::bench
