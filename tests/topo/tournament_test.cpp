// SPDX-License-Identifier: Apache-2.0
#include "topo/tournament.h"

#include <gtest/gtest.h>

#include <algorithm>
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

}  // namespace
}  // namespace topolaunch::topo
