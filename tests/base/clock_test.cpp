// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace topolaunch {
namespace {

TEST(Clock, WritesTimesAsIso8601InUtc) {
  EXPECT_EQ(iso8601(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(iso8601(951827696), "2000-02-29T12:34:56Z");
  EXPECT_EQ(iso8601(-1), "1969-12-31T23:59:59Z");
  EXPECT_EQ(iso8601(4102444800), "2100-01-01T00:00:00Z");
}

TEST(Clock, HasWordsForATimeNoCalendarReaches) {
  EXPECT_EQ(iso8601(std::numeric_limits<std::int64_t>::max()), "@9223372036854775807");
}

TEST(Clock, TheSystemsClocksGoForward) {
  const SystemClock clock;
  const double boot = clock.boot_seconds();
  EXPECT_GT(boot, 0);
  EXPECT_GE(clock.boot_seconds(), boot);
  const double wall = clock.unix_time();
  EXPECT_NEAR(wall, static_cast<double>(clock.unix_seconds()), 2.0);
  EXPECT_GT(wall, 1.7e9);  // this file was written after 2023
}

}  // namespace
}  // namespace topolaunch
