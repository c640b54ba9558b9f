// SPDX-License-Identifier: Apache-2.0
#include "bench/pair_matrix.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/bench/simulated_pairs.h"

namespace topolaunch::bench {
namespace {

TEST(PairMatrix, InEachRoundEverybodyHasOnePartnerAndAllMeetOnce) {
  for (const std::size_t size : {0U, 1U, 2U, 3U, 4U, 5U, 7U, 8U, 12U, 16U, 17U}) {
    std::set<std::pair<std::size_t, std::size_t>> met;
    for (const auto& round : rounds_of_pairs(size)) {
      std::set<std::size_t> busy;
      for (const auto& [a, b] : round) {
        EXPECT_LT(a, b);
        EXPECT_LT(b, size);
        EXPECT_TRUE(busy.insert(a).second && busy.insert(b).second) << size << " ranks";
        EXPECT_TRUE(met.emplace(a, b).second);
      }
      EXPECT_EQ(busy.size(), size / 2 * 2);
    }
    EXPECT_EQ(met.size(), size < 2 ? 0 : size * (size - 1) / 2) << size << " ranks";
  }
}

TEST(PairMatrix, JsonKeepsEveryFigureAndEveryHole) {
  SimulatedMachine machine;
  machine.hosts = 5;
  PairMatrix before = *simulate(machine, 1).pairs;
  before.one_way.at(1, 3) = std::nan("");
  before.both_ways = Matrix();
  before.wrong = 7;
  const auto after = pairs_from_json(to_json(before), "f");
  ASSERT_TRUE(after) << after.error().text();
  EXPECT_EQ(after->ranks, before.ranks);
  EXPECT_EQ(after->bytes, before.bytes);
  EXPECT_EQ(after->local, before.local);
  EXPECT_EQ(after->wrong, 7);
  EXPECT_FALSE(after->one_way.has(1, 3));
  EXPECT_FALSE(after->one_way.has(2, 2));
  EXPECT_EQ(after->one_way.at(3, 1), before.one_way.at(3, 1));
  EXPECT_EQ(after->latency.at(0, 4), before.latency.at(0, 4));
  EXPECT_TRUE(after->both_ways.empty());
}

TEST(PairMatrix, WhatIsNoMatrixIsRefusedByName) {
  const auto refusal = [](const char* text) {
    const auto pairs = pairs_from_json(Json::parse(text), "f.json");
    return pairs ? "accepted" : pairs.error().text();
  };
  using testing::HasSubstr;
  EXPECT_THAT(refusal("[]"), HasSubstr("f.json"));
  EXPECT_THAT(refusal(R"({"ranks": [0, "x"]})"), HasSubstr("isn't a rank"));
  EXPECT_THAT(refusal(R"({"ranks": [0, 1], "latency_seconds": [[null, 1]]})"), HasSubstr("rows"));
  EXPECT_THAT(refusal(R"({"ranks": [0, 1], "latency_seconds": [[null], [1, null]]})"),
              HasSubstr("row 0"));
  EXPECT_THAT(refusal(R"({"ranks": [0, 1], "latency_seconds": [[null, -1], [1, null]]})"),
              HasSubstr("row 0, column 1"));
}

}  // namespace
}  // namespace topolaunch::bench
