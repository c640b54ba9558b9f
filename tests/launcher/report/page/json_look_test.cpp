// SPDX-License-Identifier: Apache-2.0
#include "launcher/report/page/json_look.h"

#include <gtest/gtest.h>

#include <limits>

namespace topolaunch::launcher::page {
namespace {

TEST(JsonLook, NumbersThatDontFitAreTheNearestThatDo) {
  EXPECT_EQ(whole(12.4), 12);
  EXPECT_EQ(whole(-1.0), -1);
  EXPECT_EQ(whole(1e300), 9'000'000'000'000'000);
  EXPECT_EQ(whole(-std::numeric_limits<double>::infinity()), -9'000'000'000'000'000);
  EXPECT_EQ(whole(std::numeric_limits<double>::quiet_NaN()), 0);
  EXPECT_EQ(small_whole(1e300), std::numeric_limits<int>::max());
  EXPECT_EQ(small_whole(-1e300), std::numeric_limits<int>::min());
}

}  // namespace
}  // namespace topolaunch::launcher::page
