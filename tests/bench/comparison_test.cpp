// SPDX-License-Identifier: Apache-2.0
#include "bench/comparison.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "bench/statistics.h"

namespace topolaunch::bench {
namespace {

using Way = Difference::Way;

Measurement measured(double seconds, double scatter, unsigned seed) {
  std::mt19937 random(seed);
  std::lognormal_distribution<double> noise(0, scatter);
  Measurement m;
  m.backend = "nccl";
  m.ranks = 8;
  for (const std::int64_t size : {1 << 10, 1 << 20}) {
    SizeResult r;
    r.size = size;
    for (Timing* t : {&r.out_of_place, &r.in_place}) {
      for (int i = 0; i < 20; ++i) t->raw.push_back(seconds * noise(random));
      t->raw[7] *= 30;  // one preempted run
      t->time = t->p50 = Seconds(median(t->raw));
    }
    m.results.push_back(r);
  }
  return m;
}

int count(const std::vector<Difference>& differences, Way way) {
  return static_cast<int>(std::ranges::count(differences, way, &Difference::way));
}

TEST(Comparison, NoiseIsNoDifference) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    for (const double scatter : {0.01, 0.1, 0.4}) {
      const auto found =
          compare(measured(1e-4, scatter, seed), measured(1e-4, scatter, seed + 1000));
      ASSERT_TRUE(found);
      EXPECT_EQ(count(*found, Way::same), 4) << "seed " << seed << " scatter " << scatter;
    }
  }
}

TEST(Comparison, WhatGotSlowerIsSaidInBothDirections) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const auto fast = measured(1e-4, 0.05, seed), slow = measured(1.3e-4, 0.05, seed + 500);
    EXPECT_EQ(count(*compare(fast, slow), Way::slower), 4) << seed;
    EXPECT_EQ(count(*compare(slow, fast), Way::faster), 4) << seed;
  }
}

TEST(Comparison, WordsCountAndName) {
  const std::string text =
      to_text(*compare(measured(1e-4, 0.01, 1), measured(2e-4, 0.01, 2)), "run 7");
  EXPECT_THAT(text, testing::HasSubstr("# against run 7"));
  EXPECT_THAT(text, testing::HasSubstr("2.0"));
  EXPECT_THAT(text, testing::HasSubstr("# 4 slower, 0 faster, 0 within the noise"));
}

TEST(Comparison, DifferentThingsAreNotCompared) {
  const auto a = measured(1, 0.1, 1);
  auto b = a;
  b.ranks = 4;
  EXPECT_THAT(compare(a, b).error().message, testing::HasSubstr("number of ranks was 8, is 4"));
  b = a;
  b.backend = "mpi host memory";
  EXPECT_FALSE(compare(a, b));
  b = a;
  for (SizeResult& r : b.results) r.size *= 3;
  EXPECT_THAT(compare(a, b).error().message, testing::HasSubstr("no size in common"));
}

}  // namespace
}  // namespace topolaunch::bench
