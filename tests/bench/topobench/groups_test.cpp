// SPDX-License-Identifier: Apache-2.0
#include "bench/topobench/groups.h"

#include <gmock/gmock.h>

namespace topolaunch::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<RankFacts> two_hosts_of_four() {
  std::vector<RankFacts> ranks;
  for (int r = 0; r < 8; ++r) {
    RankFacts facts{r < 4 ? "a" : "b", r % 4, r < 4 ? "s1" : "s2", {}};
    facts.coordinates = {{"tp", r % 2}, {"dp", r / 2}};
    ranks.push_back(facts);
  }
  return ranks;
}

std::string refusal(const std::string& words) {
  const auto found = groupings(words, two_hosts_of_four());
  return found ? "accepted" : found.error().text();
}

TEST(Groups, SizesAreLaidOutFirstAxisFirst) {
  const auto found = groupings("tp=2,dp=4", two_hosts_of_four());
  ASSERT_TRUE(found) << found.error().text();
  ASSERT_EQ(found->size(), 2u);
  EXPECT_EQ((*found)[0].axis, "tp");
  EXPECT_THAT((*found)[0].group_of, ElementsAre(0, 0, 1, 1, 2, 2, 3, 3));
  EXPECT_THAT((*found)[1].group_of, ElementsAre(0, 1, 0, 1, 0, 1, 0, 1));
}

TEST(Groups, ByHostLeafAndRail) {
  const auto found = groupings("host,rail,leaf", two_hosts_of_four());
  ASSERT_TRUE(found);
  EXPECT_THAT((*found)[0].group_of, ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
  EXPECT_THAT((*found)[1].group_of, ElementsAre(0, 1, 2, 3, 0, 1, 2, 3));
  EXPECT_THAT((*found)[2].group_of, ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
}

TEST(Groups, WithoutASizeTheLaunchersCoordinatesCount) {
  const auto found = groupings("tp", two_hosts_of_four());
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_THAT(found->front().group_of, ElementsAre(0, 0, 1, 1, 2, 2, 3, 3));
  const Environment environment({{"TOPOLAUNCH_TP", "1"}, {"TOPOLAUNCH_DP", "3"}});
  EXPECT_THAT(coordinates_from(environment), ElementsAre(std::pair("dp", 3), std::pair("tp", 1)));
}

TEST(Groups, WhatDoesNotFitIsRefused) {
  EXPECT_THAT(refusal("tp=2,dp=3"), HasSubstr("don't multiply to the 8 ranks"));
  EXPECT_THAT(refusal("tp=0"), HasSubstr("tp=0"));
  EXPECT_THAT(refusal("tp=2x,dp=4"), HasSubstr("tp=2x"));
  EXPECT_THAT(refusal("tp=2,tp=4"), HasSubstr("twice"));
  EXPECT_THAT(refusal("pp"), HasSubstr("pp has no size"));
  EXPECT_THAT(refusal("tp=2,,dp=4"), HasSubstr("without a name"));
  auto ranks = two_hosts_of_four();
  ranks[5].leaf.clear();
  const auto unknown = groupings("leaf", ranks);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, Code::unavailable);
}

}  // namespace
}  // namespace topolaunch::bench
