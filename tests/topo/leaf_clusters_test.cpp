// SPDX-License-Identifier: Apache-2.0
#include "topo/leaf_clusters.h"

#include <gmock/gmock.h>

#include <random>

namespace topolaunch::topo {
namespace {

using ::testing::HasSubstr;

/// Latencies (seconds) between hosts whose places are (leaf, pod); `odd` changes single pairs.
std::vector<PairFact> latencies(const std::vector<std::pair<int, int>>& places,
                                const std::vector<std::tuple<int, int, double>>& odd = {}) {
  std::mt19937_64 random(3);
  std::vector<PairFact> pairs;
  const int n = static_cast<int>(places.size());
  for (int a = 0; a < n; ++a) {
    for (int b = 0; b < n; ++b) {
      if (a == b) continue;
      const auto& [leaf_a, pod_a] = places[static_cast<std::size_t>(a)];
      const auto& [leaf_b, pod_b] = places[static_cast<std::size_t>(b)];
      double value = leaf_a == leaf_b ? 2.1 : pod_a == pod_b ? 4.6 : 7.0;
      value *= 1 + static_cast<double>(random() % 100) / 2000.0;
      for (const auto& [x, y, factor] : odd) value *= (x == a && y == b) ? factor : 1;
      pairs.push_back({"h" + std::to_string(a), "h" + std::to_string(b), PairFact::Of::latency,
                       value * 1e-6, false});
    }
  }
  return pairs;
}
LeafClusters look(const std::vector<PairFact>& pairs, PairFact::Of of = PairFact::Of::latency) {
  return leaf_clusters(PairTable(pairs, of));
}

TEST(LeafClusters, FindsLeavesAndHowCertainTheyAre) {
  const auto found = look(latencies({{0, 0}, {1, 0}, {0, 0}, {1, 0}, {0, 0}, {1, 0}, {1, 0}}));
  ASSERT_TRUE(found.sure) << found.why;
  EXPECT_EQ(found.leaf, (std::vector<int>{0, 1, 0, 1, 0, 1, 1}));
  EXPECT_EQ(found.pairs, 21U);
  EXPECT_EQ(found.odd, 0U);
  EXPECT_NEAR(found.ratio, 4.6 / 2.1, 0.1);
}

/// Two leaves of five hosts.
const std::vector<std::pair<int, int>> kTwoLeaves{{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0},
                                                  {1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}};
const std::vector<int> kTheirLeaves{0, 0, 0, 0, 0, 1, 1, 1, 1, 1};

TEST(LeafClusters, OneSlowPairChangesNothing) {
  const auto found = look(latencies(kTwoLeaves, {{0, 1, 9}, {1, 0, 9}}));
  ASSERT_TRUE(found.sure) << found.why;
  EXPECT_EQ(found.leaf, kTheirLeaves);
  EXPECT_EQ(found.odd, 1U);
}

TEST(LeafClusters, AFarPairThatLooksNearMergesNothing) {
  const auto found = look(latencies(kTwoLeaves, {{4, 5, 0.4}, {5, 4, 0.4}}));
  if (found.sure) {
    EXPECT_EQ(found.leaf, kTheirLeaves);
  }
}

TEST(LeafClusters, TakesLeavesAndNotPods) {
  std::vector<std::pair<int, int>> places;
  for (int h = 0; h < 16; ++h) places.emplace_back(h / 4, h / 8);
  const auto found = look(latencies(places));
  ASSERT_TRUE(found.sure) << found.why;
  EXPECT_EQ(found.leaves, 4);
}

TEST(LeafClusters, IsUnsureWhereNothingStandsApart) {
  const auto found = look(latencies({{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}}));
  EXPECT_FALSE(found.sure);
  EXPECT_FALSE(found.why.empty());
}

TEST(LeafClusters, ASlowHostIsNoLeaf) {
  std::vector<std::tuple<int, int, double>> odd;
  for (int h = 1; h < 8; ++h) {
    odd.emplace_back(0, h, 2.0);
    odd.emplace_back(h, 0, 2.0);
  }
  const auto found = look(latencies(std::vector<std::pair<int, int>>(8, {0, 0}), odd));
  EXPECT_FALSE(found.sure);
  EXPECT_THAT(found.why, HasSubstr("alone"));
}

TEST(LeafClusters, IsUnsureOfTwoKindsOfHosts) {
  // Slow hosts are slow among themselves, too: they aren't a leaf.
  std::vector<PairFact> pairs;
  for (int a = 0; a < 8; ++a) {
    for (int b = 0; b < a; ++b) {
      const bool slow = a < 4 || b < 4;
      pairs.push_back({"h" + std::to_string(a), "h" + std::to_string(b), PairFact::Of::bandwidth,
                       slow ? 50e9 : 100e9, false});
    }
  }
  EXPECT_FALSE(look(pairs, PairFact::Of::bandwidth).sure);
}

TEST(LeafClusters, NeedsMostPairs) {
  auto pairs = latencies({{0, 0}, {0, 0}, {0, 0}, {1, 0}, {1, 0}, {1, 0}});
  std::erase_if(pairs, [](const PairFact& pair) {
    return (pair.a == "h5" && pair.b != "h4") || (pair.b == "h5" && pair.a != "h4");
  });
  EXPECT_FALSE(look(pairs).sure);
  EXPECT_THAT(look(latencies({{0, 0}, {1, 0}})).why, HasSubstr("four hosts"));
}

}  // namespace
}  // namespace topolaunch::topo
