// SPDX-License-Identifier: Apache-2.0
#include "base/cpu_set.h"

#include <gtest/gtest.h>

#include <string>

namespace topolaunch {
namespace {

TEST(CpuSet, ReadsLinuxLists) {
  EXPECT_EQ(*CpuSet::from_list("0-3,8-11\n"), (CpuSet{0, 1, 2, 3, 8, 9, 10, 11}));
  EXPECT_EQ(*CpuSet::from_list("7"), CpuSet{7});
  EXPECT_EQ(*CpuSet::from_list("0-6:2"), (CpuSet{0, 2, 4, 6}));
  EXPECT_EQ(*CpuSet::from_list("0-6:2147483647"), CpuSet{0});
  EXPECT_EQ(*CpuSet::from_list("65000-65535:2147483647"), CpuSet{65000});
  EXPECT_TRUE(CpuSet::from_list("")->empty());
  EXPECT_TRUE(CpuSet::from_list("\n")->empty());
}

TEST(CpuSet, RefusesWhatIsNoList) {
  for (const std::string text : {"x", "1-", "-1", "3-1", "1,,2", "1,", ",1", "1;2", "0-65536",
                                 "65536", "99999999999", "0-6:0", "1 2"}) {
    EXPECT_FALSE(CpuSet::from_list(text)) << text;
  }
}

TEST(CpuSet, ReadsMasksOfAnyWidth) {
  EXPECT_EQ(*CpuSet::from_mask("f"), (CpuSet{0, 1, 2, 3}));
  EXPECT_EQ(*CpuSet::from_mask("0x5\n"), (CpuSet{0, 2}));
  EXPECT_EQ(*CpuSet::from_mask("1,00000000"), CpuSet{32});
  EXPECT_EQ(*CpuSet::from_mask("0x1,0x00000002"), (CpuSet{1, 32}));
  EXPECT_EQ(*CpuSet::from_mask("1,2"), (CpuSet{1, 32})) << "a short later word keeps its place";
  EXPECT_EQ(*CpuSet::from_mask("1ffffffff"), *CpuSet::from_list("0-32")) << "one long word";
  EXPECT_TRUE(CpuSet::from_mask("00000000,00000000")->empty());
  for (const std::string text : {"", "g", ",", "1,", "1,123456789", "0x", "1 2", "-1"}) {
    EXPECT_FALSE(CpuSet::from_mask(text)) << text;
  }
  EXPECT_FALSE(CpuSet::from_mask(std::string(100000, 'f'))) << "more than 65536 bits";
}

TEST(CpuSet, WritesWhatItReads) {
  for (const std::string list : {"", "0", "0-1", "0,2,4", "0-3,8-11,63-64,127-128,65535"}) {
    const CpuSet set = *CpuSet::from_list(list);
    EXPECT_EQ(set.to_list(), list);
    EXPECT_EQ(*CpuSet::from_mask(set.to_mask()), set);
  }
  EXPECT_EQ(CpuSet{}.to_mask(), "00000000");
  EXPECT_EQ((CpuSet{0, 1, 2, 3, 32}).to_mask(), "00000001,0000000f");
}

TEST(CpuSet, ForgetsTheWidthOfWhatWasRemoved) {
  CpuSet set{1, 200};
  set.remove(200);
  set.remove(7);
  EXPECT_EQ(set, CpuSet{1});
  EXPECT_EQ(set.last(), 1);
  set.remove(1);
  EXPECT_TRUE(set.empty());
  EXPECT_EQ(set.first(), -1);
  EXPECT_EQ(set.last(), -1);
}

TEST(CpuSet, RangesCrossWords) {
  for (const int first : {0, 1, 63, 64, 100}) {
    for (const int last : {0, 1, 62, 63, 64, 65, 127, 128, 200}) {
      CpuSet by_words;
      by_words.add_range(first, last);
      CpuSet one_by_one;
      for (int cpu = first; cpu <= last; ++cpu) one_by_one.add(cpu);
      EXPECT_EQ(by_words, one_by_one) << first << "-" << last;
    }
  }
  CpuSet all;
  all.add_range(-5, 1 << 30);
  EXPECT_EQ(all.size(), CpuSet::kMaxCpu);
}

TEST(CpuSet, IgnoresNumbersOutsideItsBounds) {
  CpuSet set;
  set.add(-1);
  set.add(CpuSet::kMaxCpu);
  EXPECT_TRUE(set.empty());
  EXPECT_FALSE(set.contains(-1));
  EXPECT_FALSE(set.contains(1 << 30));
}

TEST(CpuSet, IsASet) {
  const CpuSet a{0, 1, 70};
  const CpuSet b{1, 2};
  EXPECT_EQ(a & b, CpuSet{1});
  EXPECT_EQ(a | b, (CpuSet{0, 1, 2, 70}));
  EXPECT_EQ(b | a, a | b);
  EXPECT_EQ(a - b, (CpuSet{0, 70}));
  EXPECT_EQ(a - CpuSet{70}, (CpuSet{0, 1}));
  EXPECT_TRUE(a.intersects(b));
  EXPECT_FALSE(a.intersects(CpuSet{3}));
  EXPECT_TRUE(a.includes(CpuSet{70}));
  EXPECT_TRUE(a.includes({}));
  EXPECT_FALSE((CpuSet{0}).includes(a));
  EXPECT_EQ(a.size(), 3);
  EXPECT_EQ(a.to_vector(), (std::vector<int>{0, 1, 70}));
}

}  // namespace
}  // namespace topolaunch
