// SPDX-License-Identifier: Apache-2.0
#include "launcher/rank_groups.h"

#include <gtest/gtest.h>

namespace topolaunch::launcher {
namespace {

/// tp=2, pp=1, dp=3 over three hosts of two GPUs.
Plan plan() {
  Plan out;
  for (int rank = 0; rank < 6; ++rank) {
    RankPlan one;
    one.rank = rank;
    one.host = "h" + std::to_string(rank / 2);
    one.gpu_index = rank % 2;
    one.environment = {{"TOPOLAUNCH_TP_RANK", std::to_string(rank % 2)},
                       {"TOPOLAUNCH_TP_SIZE", "2"},
                       {"TOPOLAUNCH_PP_RANK", "0"},
                       {"TOPOLAUNCH_PP_SIZE", "1"},
                       {"TOPOLAUNCH_DP_RANK", std::to_string(rank / 2)},
                       {"TOPOLAUNCH_DP_SIZE", "3"}};
    out.ranks.push_back(one);
  }
  return out;
}

TEST(RankGroups, TakesTheFastestDimensionOfAPlan) {
  const auto ranks = ranks_of(plan(), "");
  ASSERT_TRUE(ranks);
  EXPECT_EQ(ranks->dimension, "tp");
  EXPECT_EQ(ranks->groups, (std::vector<std::string>{"tp 0", "tp 1", "tp 2"}));
  EXPECT_EQ(ranks->placed[3].group, 1);
}

TEST(RankGroups, TakesTheDimensionThatIsNamed) {
  const auto ranks = ranks_of(plan(), "dp");
  ASSERT_TRUE(ranks);
  EXPECT_EQ(ranks->groups.size(), 2U);
  EXPECT_EQ(ranks->placed[4].group, 0);
  EXPECT_EQ(ranks->placed[5].group, 1);
}

TEST(RankGroups, NamesThoseThereAre) {
  const auto ranks = ranks_of(plan(), "pp");
  ASSERT_FALSE(ranks);
  EXPECT_EQ(ranks.error().code, Code::wrong_usage);
  EXPECT_NE(ranks.error().next.find("tp, dp"), std::string::npos);
}

TEST(RankGroups, HasNoGroupsWithoutDimensions) {
  Plan one = plan();
  for (RankPlan& rank : one.ranks) rank.environment.clear();
  const auto ranks = ranks_of(one, "");
  ASSERT_TRUE(ranks);
  EXPECT_EQ(ranks->dimension, "");
  EXPECT_EQ(ranks->placed.size(), 6U);
}

TEST(RankGroups, RefusesAPlanOfOtherMachines) {
  topo::Topology topology;
  topology.hosts.resize(3);
  for (std::size_t i = 0; i < 3; ++i) {
    topology.hosts[i].name = "h" + std::to_string(i);
    topology.hosts[i].gpus.resize(2);
  }
  const auto ranks = ranks_of(plan(), "");
  EXPECT_TRUE(belong_together(topology, *ranks));
  topology.hosts[2].gpus.pop_back();
  const auto fit = belong_together(topology, *ranks);
  ASSERT_FALSE(fit);
  EXPECT_NE(fit.error().message.find("rank 5"), std::string::npos);
}

}  // namespace
}  // namespace topolaunch::launcher
