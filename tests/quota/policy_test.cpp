// SPDX-License-Identifier: Apache-2.0
#include "quota/policy.h"

#include <gtest/gtest.h>

namespace topolaunch::quota {
namespace {

constexpr std::int64_t kNow = 1'798'000'000;

Balance account() {
  Balance a;
  a.grant = Grant{"jti-1", "alice", "vision", "", "https://q.example", 4, 1000, 0, kNow - 1, kNow + 1000, 0, 0, 0, {"*"}};
  return a;
}
Demand demand(std::int64_t count, std::int64_t wall) {
  Demand d;
  d.count = count;
  d.wall_seconds = wall;
  return d;
}

TEST(Policy, NamesTheNumbersOfARefusal) {
  Balance a = account();
  a.gpus_in_use = 2;
  const auto refused = allow(a, demand(8, 10), kNow);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::denied);
  EXPECT_EQ(refused.error().message, "asks for 8 GPUs, grant 'jti-1' (team vision) allows 4 at once, 2 in use");
}

TEST(Policy, TellsNeverFromNotNow) {
  Balance a = account();
  a.settled = 600;
  a.held = 300;
  EXPECT_EQ(allow(a, demand(1, 401), kNow).error().code, Code::denied);
  const auto later = allow(a, demand(1, 101), kNow);
  EXPECT_EQ(later.error().code, Code::try_again);
  EXPECT_EQ(later.error().message,
            "needs 1 GPU x 101 s = 101 GPU-seconds, grant 'jti-1' (team vision) has 400 of 1000 left, 300 of them held by runs");
  EXPECT_EQ(later.error().next, "--time-limit 100s fits");
  EXPECT_TRUE(allow(a, demand(1, 100), kNow));
}

TEST(Policy, SharesTheBudgetOverTheGrantsGpusWithoutATimeLimit) {
  Balance a = account();
  const auto all = allow(a, demand(4, 0), kNow);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->wall_seconds, 250);
  EXPECT_EQ(all->gpu_seconds, 1000);
  const auto one = allow(a, demand(1, 0), kNow);
  EXPECT_EQ(one->wall_seconds, 250);
  EXPECT_FALSE(one->wall_why.empty());
  a.held = one->gpu_seconds;
  EXPECT_EQ(allow(a, demand(3, 0), kNow)->wall_seconds, 250) << "the others keep their share";
  a.settled = 1000;
  a.held = 0;
  EXPECT_EQ(allow(a, demand(1, 0), kNow).error().code, Code::denied);
}

TEST(Policy, CutsTheWallLimitToTheWindow) {
  Balance a = account();
  a.grant.window_start = kNow - 10;
  a.grant.window_end = kNow + 50;
  const auto cut = allow(a, demand(1, 100), kNow);
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->wall_seconds, 50);
  EXPECT_NE(cut->wall_why.find("window"), std::string::npos);
  EXPECT_EQ(allow(a, demand(1, 10), kNow)->wall_why, "");
  EXPECT_EQ(allow(a, demand(1, 10), kNow + 50).error().code, Code::denied);
  EXPECT_EQ(allow(a, demand(1, 10), kNow - 11).error().code, Code::denied);
}

TEST(Policy, HoldsARunToTheLongestWallTime) {
  Balance a = account();
  a.grant.max_wall_seconds = 60;
  EXPECT_EQ(allow(a, demand(1, 61), kNow).error().code, Code::denied);
  EXPECT_EQ(allow(a, demand(1, 61), kNow).error().next, "--time-limit 60s");
  EXPECT_EQ(allow(a, demand(1, 0), kNow)->wall_seconds, 60);
  EXPECT_EQ(allow(a, demand(0, 0), kNow)->wall_seconds, 60);
}

TEST(Policy, MatchesTypesByTheirWholeNames) {
  Balance a = account();
  a.grant.types = {"ml.p5.48xlarge", "NVIDIA H100 80GB HBM3"};
  Demand d = demand(1, 1);
  EXPECT_EQ(allow(a, d, kNow).error().code, Code::denied) << "type not known";
  d.gpu_models = {"NVIDIA H100 80GB HBM3"};
  EXPECT_TRUE(allow(a, d, kNow));
  d.gpu_models = {"NVIDIA H100 80GB HBM3", "NVIDIA A100-SXM4-80GB"};
  const auto refused = allow(a, d, kNow);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("asks for 'NVIDIA A100-SXM4-80GB'"), std::string::npos);
  d.instance_type = "ml.p5.48xlarge";
  EXPECT_TRUE(allow(a, d, kNow));
  d.instance_type = "ml.p5*";
  EXPECT_FALSE(allow(a, d, kNow));
  d.count = 0;
  EXPECT_TRUE(allow(a, d, kNow)) << "a run without GPUs has no type";
}

TEST(Policy, RefusesNumbersThatCouldOverflow) {
  EXPECT_EQ(allow(account(), demand(-1, 1), kNow).error().code, Code::wrong_usage);
  EXPECT_EQ(allow(account(), demand(1, INT64_MAX), kNow).error().code, Code::wrong_usage);
  EXPECT_EQ(allow(account(), demand(INT64_MAX, 1), kNow).error().code, Code::wrong_usage);
}

TEST(Policy, RefusesAnExpiredGrant) { EXPECT_EQ(allow(account(), demand(1, 1), kNow + 1000).error().code, Code::denied); }

}  // namespace
}  // namespace topolaunch::quota
