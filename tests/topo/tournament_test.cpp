// SPDX-License-Identifier: Apache-2.0
#include "topo/tournament.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace topolaunch::topo {
namespace {

TEST(Tournament, LetsEverybodyMeetEverybodyOnce) {
  for (const int hosts : {0, 1, 2, 3, 8, 15, 16, 33}) {
    std::set<std::pair<int, int>> met;
    for (const auto& round : tournament(hosts, 7)) {
      std::set<int> busy;
      for (const auto& [a, b] : round) {
        EXPECT_TRUE(busy.insert(a).second && busy.insert(b).second);
        EXPECT_TRUE(met.emplace(std::min(a, b), std::max(a, b)).second);
      }
      EXPECT_GE(static_cast<int>(busy.size()), hosts - hosts % 2);
    }
    EXPECT_EQ(static_cast<int>(met.size()), hosts * (hosts - 1) / 2);
  }
}

TEST(Tournament, IsTheSameForTheSameSeedAndAnotherForAnother) {
  EXPECT_EQ(tournament(8, 3), tournament(8, 3));
  EXPECT_NE(tournament(8, 3), tournament(8, 4));
}

TEST(Tournament, LetsAnyTwoPairsOfARoundGoBothWaysToEachOther) {
  const int hosts = 16;
  std::map<std::size_t, std::map<std::pair<int, int>, std::vector<bool>>>
      ways;  // round, pair -> low first
  for (int pattern = 0; pattern < tournament_patterns(hosts); ++pattern) {
    const auto rounds = tournament(hosts, 5, pattern);
    for (std::size_t r = 0; r < rounds.size(); ++r) {
      for (const auto& [a, b] : rounds[r])
        ways[r][{std::min(a, b), std::max(a, b)}].push_back(a < b);
    }
  }
  for (const auto& [round, pairs] : ways) {
    ASSERT_EQ(pairs.size(), 8U);
    for (auto one = pairs.begin(); one != pairs.end(); ++one) {
      for (auto two = std::next(one); two != pairs.end(); ++two) {
        std::set<bool> alike;
        for (std::size_t p = 0; p < one->second.size(); ++p)
          alike.insert(one->second[p] == two->second[p]);
        EXPECT_EQ(alike.size(), 2U);
      }
    }
  }
}

}  // namespace
}  // namespace topolaunch::topo
