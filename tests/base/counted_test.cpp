// SPDX-License-Identifier: Apache-2.0
#include "base/counted.h"

#include <gtest/gtest.h>

namespace topolaunch {
namespace {

TEST(Counted, OneIsSingularAllElseIsPlural) {
  EXPECT_EQ(counted(1, "host"), "1 host");
  EXPECT_EQ(counted(0, "host"), "0 hosts");
  EXPECT_EQ(counted(2, "level-2 switch"), "2 level-2 switches");
  EXPECT_EQ(counted(2, "person", "people"), "2 people");
}

TEST(Counted, PluralsOfNounsThatTakeMoreThanAnS) {
  EXPECT_EQ(plural_of("leaf"), "leaves");
  EXPECT_EQ(plural_of("torus"), "toruses");
  EXPECT_EQ(plural_of("box"), "boxes");
  EXPECT_EQ(plural_of("entry"), "entries");
  EXPECT_EQ(plural_of("way"), "ways");
}

TEST(Counted, ANameThatIsPluralStaysSo) {
  EXPECT_EQ(plural_of("blocks"), "blocks");
  EXPECT_EQ(counted(3, "blocks"), "3 blocks");
}

}  // namespace
}  // namespace topolaunch
