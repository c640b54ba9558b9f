// SPDX-License-Identifier: Apache-2.0
#include "kernels/bf16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace topolaunch::kernels {
namespace {

TEST(Bf16, HoldsWholeNumbersUpTo256) {
  for (int i = -256; i <= 256; ++i) {
    const auto v = static_cast<float>(i);
    EXPECT_EQ(widened(narrowed<Bf16>(v)), v);
  }
}

TEST(Bf16, RoundsToNearestTiesToEven) {
  EXPECT_EQ(widened(narrowed<Bf16>(257)), 256);  // halfway between 256 and 258: even significand
  EXPECT_EQ(widened(narrowed<Bf16>(259)), 260);
  EXPECT_EQ(widened(narrowed<Bf16>(258.9F)), 258);
}

TEST(Bf16, KeepsInfinityAndNan) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(widened(narrowed<Bf16>(infinity)), infinity);
  EXPECT_TRUE(std::isnan(widened(narrowed<Bf16>(std::numeric_limits<float>::quiet_NaN()))));
  EXPECT_EQ(widened(narrowed<Bf16>(std::numeric_limits<float>::max())), infinity);
}

}  // namespace
}  // namespace topolaunch::kernels
