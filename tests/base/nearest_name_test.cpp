// SPDX-License-Identifier: Apache-2.0
#include "base/nearest_name.h"

#include <gtest/gtest.h>

namespace topolaunch {
namespace {

const std::vector<std::string> kNames{"--ranks", "--validate", "--verbose", "--quota-token"};

TEST(NearestName, FindsTyposSwapsAndBeginnings) {
  EXPECT_EQ(nearest_name("--rank", kNames), "--ranks");
  EXPECT_EQ(nearest_name("--rnaks", kNames), "--ranks");
  EXPECT_EQ(nearest_name("--valdiate", kNames), "--validate");
  EXPECT_EQ(nearest_name("--quota", kNames), "--quota-token");
}

TEST(NearestName, IsEmptyWhenNothingIsNear) {
  EXPECT_EQ(nearest_name("--frobnicate", kNames), "");
  EXPECT_EQ(nearest_name("", kNames), "");
  EXPECT_EQ(nearest_name("--quta-tken", kNames), "--quota-token");
  EXPECT_EQ(nearest_name("--quta-tken", kNames, 1), "");
  EXPECT_EQ(nearest_name(std::string(100000, 'x'), kNames), "") << "bounded work";
}

}  // namespace
}  // namespace topolaunch
