// SPDX-License-Identifier: Apache-2.0
#include "topo/host_distances.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/topo/facts.h"
#include "topo/topology_json.h"

namespace topolaunch::topo {
namespace {

using ::testing::ElementsAre;
using Of = PairFact::Of;

TEST(HostDistances, AreThoseThatWereGiven) {
  const auto fact = host_distances({{"a", "b", Of::distance, 2, false},
                                    {"b", "a", Of::distance, 4, false},
                                    {"b", "c", Of::distance, 5, false}},
                                   true);
  ASSERT_TRUE(fact);
  EXPECT_THAT(fact->distance_hosts, ElementsAre("a", "b", "c"));
  // Both ways the mean; a pair that is not there as the farthest.
  EXPECT_THAT(fact->host_distances, ElementsAre(0, 3, 5, 3, 0, 5, 5, 5, 0));
  EXPECT_THAT(in_order_of({"c", "b"}, *fact), ElementsAre(0, 5, 5, 0));
  EXPECT_THAT(in_order_of({"x", "a"}, *fact), ElementsAre(0, 5, 5, 0));
}

TEST(HostDistances, OfMeasurementsStandInWhereNoLeavesDo) {
  const std::vector<PairFact> pairs = {{"a", "b", Of::bandwidth, 40e9, false},
                                       {"b", "c", Of::bandwidth, 10e9, false},
                                       {"a", "c", Of::bandwidth, 20e9, false}};
  EXPECT_FALSE(host_distances(pairs, true));
  const auto fact = host_distances(pairs, false);
  ASSERT_TRUE(fact);
  const std::vector<double> expected = {0, 1, 2, 1, 0, 4, 2, 4, 0};
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(fact->host_distances[i], expected[i], 1e-9) << i;
  EXPECT_FALSE(host_distances({}, false));
}

TEST(HostDistances, GoThroughJsonAndBack) {
  std::vector<Fact> facts;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < a; ++b)
      facts.push_back(
          {{"measured", "d.csv", 1},
           {},
           PairFact{std::string(1, static_cast<char>('a' + a)),
                    std::string(1, static_cast<char>('a' + b)), Of::distance, 1.0 + a + b, false}});
  const auto topology = assembled(std::move(facts));
  ASSERT_EQ(topology.fabric.host_distances.size(), 9U);
  const auto again = topology_from_json(to_json(topology), "t.json");
  ASSERT_TRUE(again);
  EXPECT_EQ(again->fabric.host_distances, topology.fabric.host_distances);
  auto json = to_json(topology);
  json["fabric"]["host_distances"][1].erase(0);
  EXPECT_FALSE(topology_from_json(json, "t.json"));
}

}  // namespace
}  // namespace topolaunch::topo
