// SPDX-License-Identifier: Apache-2.0
#include "mapping/levels.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "mapping/solver/host_choice.h"
#include "tests/mapping/machines.h"

namespace topolaunch::mapping {
namespace {

using namespace testing;

/// Two leaves of two hosts with 100 GB/s uplinks, and two hosts of which nobody knows the place.
topo::Topology with_two_unknown() {
  topo::Topology topology;
  for (int h = 0; h < 6; ++h) topology.hosts.push_back(two_sockets("h" + std::to_string(h), 4));
  for (int l = 0; l < 2; ++l) {
    topo::Switch leaf;
    leaf.name = "leaf" + std::to_string(l);
    leaf.parent = 2;
    leaf.uplink = Bandwidth::gigabytes_per_second(100);
    topology.fabric.switches.push_back(leaf);
  }
  topo::Switch spine;
  spine.name = "spine";
  spine.level = 1;
  topology.fabric.switches.push_back(spine);
  topology.fabric.leaf_of_host = {-1, 0, 0, 1, 1, -1};
  topology.fabric.level_names = {"leaf", "spine"};
  return topology;
}

TEST(Levels, AHostOfUnknownPlacePaysLikeTheWorstPlaced) {
  const auto levels = fabric_levels(with_two_unknown());
  const Level* leaf = levels.find("leaf");
  ASSERT_NE(leaf, nullptr);
  EXPECT_EQ(leaf->blocks, 4);
  EXPECT_EQ(leaf->uplink[ix(leaf->block[0])], Bandwidth::gigabytes_per_second(50));
  EXPECT_EQ(leaf->uplink[ix(leaf->block[1])], Bandwidth::gigabytes_per_second(100));
  EXPECT_EQ(levels.placed, (std::vector<bool>{false, true, true, true, true, false}));
}

TEST(Levels, RatesThatNobodyKnowsStayUnknown) {
  auto topology = with_two_unknown();
  for (auto& box : topology.fabric.switches) box.uplink = {};
  const auto levels = fabric_levels(topology);
  for (const auto uplink : levels.find("leaf")->uplink) EXPECT_FALSE(uplink.known());
}

TEST(Levels, HostsOfUnknownPlaceAreChosenLast) {
  const auto levels = fabric_levels(with_two_unknown());
  const std::vector<int> capacity(6, 8);
  for (const int ranks : {8, 16, 24, 32}) {
    for (const int host : compact_hosts(levels, capacity, ranks))
      EXPECT_TRUE(levels.placed[ix(host)]) << ranks;
  }
  EXPECT_EQ(compact_hosts(levels, capacity, 40).size(), 5U);
  EXPECT_EQ(compact_hosts(levels, capacity, 48).size(), 6U);
}

TEST(Levels, OfSeveralBlocksTheFewestThatLeaveLeastAreAmongTheCandidates) {
  // Leaves with 8, 6, 6 and 2 seats, on hosts of two.
  const auto topology = leaf_spine(nvswitch_host("h", 2), 4, 4, 1);
  const auto levels = fabric_levels(topology);
  const std::vector<int> capacity = {2, 2, 2, 2, 2, 2, 2, 0, 2, 2, 2, 0, 2, 0, 0, 0};
  const auto candidates = host_candidates(levels, capacity, 12, 8);
  EXPECT_EQ(candidates.front().hosts, (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_TRUE(std::any_of(candidates.begin(), candidates.end(), [](const HostCandidate& candidate) {
    return candidate.left_over == 0 && candidate.blocks == 2 && candidate.hosts == std::vector<int>{4, 5, 6, 8, 9, 10};
  }));
  // One that is exact, of more blocks than it takes, is no choice.
  EXPECT_TRUE(std::none_of(candidates.begin(), candidates.end(), [](const HostCandidate& candidate) { return candidate.blocks > 2; }));
}

}  // namespace
}  // namespace topolaunch::mapping
