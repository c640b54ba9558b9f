// SPDX-License-Identifier: Apache-2.0
#include "topo/draw/layout.h"

#include <gtest/gtest.h>

namespace topolaunch::topo::draw {
namespace {

Drawing block(double width, double height) {
  Drawing out;
  out.box({0, 0, width, height, Tone::gpu});
  out.reach(width, height);
  return out;
}

TEST(Flow, BeginsANewRowWhereOneIsFull) {
  const Drawing out = flow({block(40, 10), block(40, 20), block(40, 10)}, 90, 10);
  EXPECT_DOUBLE_EQ(out.width, 90);
  EXPECT_DOUBLE_EQ(out.height, 40);
  const auto& third = std::get<Box>(out.shapes[2]);
  EXPECT_DOUBLE_EQ(third.x, 0);
  EXPECT_DOUBLE_EQ(third.y, 30);
}

TEST(Flow, MakesFramesOfARowEquallyHigh) {
  const Drawing out = flow({block(40, 10), block(40, 20)}, 90, 10);
  EXPECT_DOUBLE_EQ(std::get<Box>(out.shapes[0]).height, 20);
}

TEST(Flow, LeavesAPartThatIsTooWideARowOfItsOwn) {
  const Drawing out = flow({block(200, 10), block(20, 10)}, 90, 10);
  EXPECT_DOUBLE_EQ(out.width, 200);
  EXPECT_DOUBLE_EQ(out.height, 30);
}

TEST(Framed, CutsAHeadingToItsWidth) {
  const Drawing out = framed({}, {std::string(200, 'x'), {}}, Tone::host, "", 100);
  EXPECT_LE(out.width, 120);
  EXPECT_LT(std::get<Words>(out.shapes[1]).text.size(), 20U);
}

TEST(Stacked, PutsPartsBelowEachOther) {
  const Drawing out = stacked({block(10, 10), Drawing(), block(10, 10)}, 5);
  EXPECT_DOUBLE_EQ(out.height, 25);
}

}  // namespace
}  // namespace topolaunch::topo::draw
