// SPDX-License-Identifier: Apache-2.0
#include "bench/measurement.h"

#include <gtest/gtest.h>

#include "tests/bench/example.h"

namespace topolaunch::bench {
namespace {

TEST(Measurement, SummaryCountsWrongElementsAndAveragesBothPlacements) {
  const Measurement m = example_measurement();
  EXPECT_EQ(m.wrong, 6);
  double sum = 0;
  for (const SizeResult& r : m.results) sum += r.out_of_place.busbw + r.in_place.busbw;
  EXPECT_DOUBLE_EQ(m.average_busbw, sum / 4);
}

TEST(Measurement, NothingCheckedIsNotNothingWrong) {
  Measurement m = example_measurement();
  for (SizeResult& r : m.results) r.out_of_place.wrong = r.in_place.wrong = -1;
  summarise(m);
  EXPECT_EQ(m.wrong, -1);
  m.results[1].in_place.wrong = 0;
  summarise(m);
  EXPECT_EQ(m.wrong, 0);
}

TEST(Measurement, KnowsWhetherGpusTookPart) {
  Measurement m = example_measurement();
  EXPECT_TRUE(on_gpus(m));
  m.devices.pop_back();
  EXPECT_FALSE(on_gpus(m));
}

}  // namespace
}  // namespace topolaunch::bench
