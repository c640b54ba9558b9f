// SPDX-License-Identifier: Apache-2.0
#include "bench/sweep.h"

#include <gmock/gmock.h>

namespace topolaunch::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Sweep, MultipliesByTheFactorUpToTheLargest) {
  EXPECT_THAT(*sweep_sizes({Bytes(8), Bytes(100), 2, Bytes(0)}, 4), ElementsAre(8, 16, 32, 64));
}

TEST(Sweep, AddsTheStepWhereOneIsGiven) {
  EXPECT_THAT(*sweep_sizes({Bytes(100), Bytes(500), 2, Bytes(200)}, 4), ElementsAre(100, 300, 500));
}

TEST(Sweep, CutsSizesDownToWholeElementsAndSaysNoneTwice) {
  EXPECT_THAT(*sweep_sizes({Bytes(1), Bytes(11), 2, Bytes(1)}, 4), ElementsAre(4, 8));
}

TEST(Sweep, OneSizeNeedsNoFactor) {
  EXPECT_THAT(*sweep_sizes({Bytes(64), Bytes(64), 1, Bytes(0)}, 4), ElementsAre(64));
}

TEST(Sweep, RefusesRangesThatAreEmptyOrNeverEnd) {
  const auto why = [](const Sweep& sweep) { return sweep_sizes(sweep, 4).error(); };
  EXPECT_THAT(why({Bytes(64), Bytes(8), 2, Bytes(0)}).message, HasSubstr("below the smallest"));
  EXPECT_THAT(why({Bytes(0), Bytes(8), 2, Bytes(0)}).message, HasSubstr("-b"));
  EXPECT_THAT(why({Bytes(8), Bytes(64), 1, Bytes(0)}).message, HasSubstr("-f"));
  EXPECT_THAT(why({Bytes(4), Bytes::gib(4), 2, Bytes(4)}).message, HasSubstr("more than"));
  EXPECT_EQ(why({Bytes(8), Bytes(64), 0, Bytes(0)}).code, Code::wrong_usage);
}

TEST(Sweep, EndsAtTheLargestNumberThereIs) {
  const auto most = Bytes(std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(sweep_sizes({Bytes(1), most, 2, Bytes(0)}, 1)->size(), 63u);
}

}  // namespace
}  // namespace topolaunch::bench
