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

Result<std::vector<Grouping>> groups(const std::string& words,
                                     const std::vector<RankFacts>& ranks = two_hosts_of_four()) {
  auto axes = group_axes(words);
  if (!axes) return fail(std::move(axes).error());
  return groupings(*axes, ranks);
}

std::string refusal(const std::string& words) {
  const auto found = groups(words);
  return found ? "accepted" : found.error().text();
}

TEST(Groups, SizesAreLaidOutFirstAxisFirst) {
  const auto found = groups("tp=2,dp=4");
  ASSERT_TRUE(found) << found.error().text();
  ASSERT_EQ(found->size(), 2u);
  EXPECT_EQ((*found)[0].axis, "tp");
  EXPECT_THAT((*found)[0].group_of, ElementsAre(0, 0, 1, 1, 2, 2, 3, 3));
  EXPECT_THAT((*found)[1].group_of, ElementsAre(0, 1, 0, 1, 0, 1, 0, 1));
}

TEST(Groups, ByHostLeafAndRail) {
  const auto found = groups("host,rail,leaf");
  ASSERT_TRUE(found);
  EXPECT_THAT((*found)[0].group_of, ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
  EXPECT_THAT((*found)[1].group_of, ElementsAre(0, 1, 2, 3, 0, 1, 2, 3));
  EXPECT_THAT((*found)[2].group_of, ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
}

TEST(Groups, WithoutASizeTheLaunchersCoordinatesCount) {
  const auto found = groups("tp");
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_THAT(found->front().group_of, ElementsAre(0, 0, 1, 1, 2, 2, 3, 3));
  const Environment environment({{"TOPOLAUNCH_TP_RANK", "1"}, {"TOPOLAUNCH_DP_RANK", "3"}});
  EXPECT_THAT(coordinates_from(environment), ElementsAre(std::pair("dp", 3), std::pair("tp", 1)));
}

TEST(Groups, WhatDoesNotFitIsRefused) {
  EXPECT_THAT(refusal("tp=2,dp=3"), HasSubstr("don't multiply to the 8 ranks"));
  EXPECT_THAT(refusal("tp=0"), HasSubstr("tp=0"));
  EXPECT_THAT(refusal("tp=2x,dp=4"), HasSubstr("tp=2x"));
  EXPECT_THAT(refusal("tp=2,tp=4"), HasSubstr("twice"));
  EXPECT_THAT(refusal("pp"), HasSubstr("pp has no size"));
  EXPECT_THAT(refusal("tp=2,,dp=4"), HasSubstr("without a name"));
  EXPECT_THAT(refusal(""), HasSubstr("without a name"));
  EXPECT_THAT(refusal("foo"), HasSubstr("\"foo\" is no axis that ranks know, and has no size"));
  auto ranks = two_hosts_of_four();
  ranks[5].leaf.clear();
  const auto unknown = groups("leaf", ranks);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, Code::unavailable);
}

TEST(Groups, TheSmallestOneCounts) {
  auto ranks = two_hosts_of_four();
  ranks.resize(5);
  EXPECT_EQ(smallest_group(groups("host", ranks)->front()), 1);
  EXPECT_EQ(smallest_group(groups("tp=2,dp=4")->back()), 4);
  EXPECT_EQ(smallest_group({"host", {}}), 0);
}

}  // namespace
}  // namespace topolaunch::bench
