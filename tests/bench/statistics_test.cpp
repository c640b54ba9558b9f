// SPDX-License-Identifier: Apache-2.0
#include "bench/statistics.h"

#include <gtest/gtest.h>

namespace topolaunch::bench {
namespace {

TEST(Statistics, MedianIsTheMiddleValueOrTheMeanOfTheTwoMiddleOnes) {
  EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_DOUBLE_EQ(median({7}), 7);
}

TEST(Statistics, PercentilesAreThoseOfNumpysDefault) {
  // numpy.percentile([15, 20, 35, 40, 50], [0, 5, 30, 40, 99, 100])
  const std::vector<double> values{50, 15, 40, 20, 35};
  EXPECT_DOUBLE_EQ(percentile(values, 0), 15);
  EXPECT_DOUBLE_EQ(percentile(values, 0.05), 16);
  EXPECT_DOUBLE_EQ(percentile(values, 0.30), 23);
  EXPECT_DOUBLE_EQ(percentile(values, 0.40), 29);
  EXPECT_NEAR(percentile(values, 0.99), 49.6, 1e-12);
  EXPECT_DOUBLE_EQ(percentile(values, 1), 50);
}

TEST(Statistics, OneSlowIterationMovesTheMaximumAndNotTheMedian) {
  std::vector<double> values(20, 1.0);
  values[7] = 1000;
  const Spread s = spread(values);
  EXPECT_DOUBLE_EQ(s.p50, 1);
  EXPECT_DOUBLE_EQ(s.minimum, 1);
  EXPECT_DOUBLE_EQ(s.maximum, 1000);
  EXPECT_GT(s.p99, 500);
}

TEST(Statistics, AnEmptyRowIsZerosAndASillyFractionIsClamped) {
  EXPECT_DOUBLE_EQ(median({}), 0);
  EXPECT_DOUBLE_EQ(spread({}).p99, 0);
  EXPECT_DOUBLE_EQ(percentile({1, 2}, -3), 1);
  EXPECT_DOUBLE_EQ(percentile({1, 2}, 7), 2);
}

}  // namespace
}  // namespace topolaunch::bench
