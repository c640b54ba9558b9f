// SPDX-License-Identifier: Apache-2.0
#include "topo/fabric_probe.h"

#include <gtest/gtest.h>

#include "tests/topo/simulated_network.h"

namespace topolaunch::topo {
namespace {

struct Outcome {
  int exact = 0, unsure = 0, wrong = 0;
};

Outcome twenty(const std::vector<int>& sizes, double uplink, double noise, double accidents,
               bool latency_shows = false) {
  Outcome outcome;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SimulatedNetwork network(sizes, uplink, seed);
    network.noise = noise;
    network.accidents = accidents;
    const MeasureRound measure = [&](PairFact::Of of,
                                     const Round& round) -> Result<std::vector<double>> {
      if (of == PairFact::Of::bandwidth) return network.bandwidth(round);
      std::vector<double> values;
      for (const auto& [from, to] : round) {
        const bool near = network.leaf[static_cast<std::size_t>(from)] ==
                          network.leaf[static_cast<std::size_t>(to)];
        values.push_back((near || !latency_shows ? 20e-6 : 500e-6) * (1 + network.uniform()));
      }
      return values;
    };
    ProbeOptions options;
    options.seed = seed * 1000;
    const auto found = probe_fabric(network.hosts(), measure, options);
    EXPECT_TRUE(found.has_value());
    if (!found->leaves.sure) {
      ++outcome.unsure;
    } else {
      ++(network.is(found->leaves.leaf) ? outcome.exact : outcome.wrong);
    }
    if (latency_shows) {
      EXPECT_EQ(found->tournaments, 0);
    }
  }
  return outcome;
}

TEST(FabricProbe, FindsLeavesWithUplinksAsFastAsHostsAndSlower) {
  const std::vector<std::vector<int>> fabrics{
      {4, 4}, {3, 5}, {2, 6}, {2, 3, 3}, {4, 4, 4, 4}, {3, 4, 4, 5}, {8, 8}, {5, 11}, {2, 6, 8}};
  for (const double uplink : {200.0, 100.0}) {
    for (const auto& sizes : fabrics) {
      const auto outcome = twenty(sizes, uplink, 0.05, 0.02);
      std::string name = "uplink " + std::to_string(uplink) + ", leaves";
      for (const int size : sizes) name += " " + std::to_string(size);
      EXPECT_EQ(outcome.wrong, 0) << name;
      EXPECT_GE(outcome.exact, 18) << name;
    }
  }
}

TEST(FabricProbe, IsNeverWrongInHeavyNoise) {
  for (const auto& sizes : std::vector<std::vector<int>>{{4, 4}, {2, 3, 3}, {3, 5}, {4, 4, 4, 4}}) {
    for (const double uplink : {200.0, 100.0}) {
      EXPECT_EQ(twenty(sizes, uplink, 0.12, 0.08).wrong, 0);
    }
  }
}

TEST(FabricProbe, IsUnsureOfOneLeafAndOfUplinksThatNobodyFeels) {
  EXPECT_EQ(twenty({8}, 200, 0.05, 0.02).unsure, 20);
  EXPECT_EQ(twenty({16}, 200, 0.05, 0.02).unsure, 20);
  EXPECT_EQ(twenty({4, 4}, 10000, 0.05, 0.02).unsure, 20);
}

TEST(FabricProbe, StopsAtLatencyWhereThatShowsTheLeaves) {
  const auto outcome = twenty({4, 4, 4, 4}, 200, 0.05, 0.02, true);
  EXPECT_EQ(outcome.exact, 20);
}

TEST(FabricProbe, TakesTwoTournamentsWhereEachShowsTheSameAndMoreWhereOneHadAnAccident) {
  int tournament_of_accident = 0;  // counted from 1
  const auto tournaments = [&] {
    SimulatedNetwork network({4, 4, 4, 4}, 100, 1);
    network.accidents = 0;
    int rounds = 0;
    const MeasureRound measure = [&](PairFact::Of of,
                                     const Round& round) -> Result<std::vector<double>> {
      if (of == PairFact::Of::latency) return std::vector<double>(round.size(), 20e-6);
      auto values = network.bandwidth(round);
      if (rounds++ / 15 + 1 != tournament_of_accident) return values;
      for (std::size_t i = 0; i < round.size(); ++i) {
        const auto [a, b] = round[i];
        const auto& leaf = network.leaf;
        if (leaf[static_cast<std::size_t>(a)] == leaf[static_cast<std::size_t>(b)]) {
          values[i] /= 20;
          tournament_of_accident = 0;
          break;
        }
      }
      return values;
    };
    const auto found = probe_fabric(network.hosts(), measure, {});
    EXPECT_TRUE(network.is(found->leaves.leaf));
    return found->tournaments;
  };
  EXPECT_EQ(tournaments(), 2);
  tournament_of_accident = 1;
  EXPECT_GE(tournaments(), 3);
  tournament_of_accident = 2;
  EXPECT_GE(tournaments(), 3);
}

TEST(FabricProbe, EndsWithTheTimeAndWithAnError) {
  SimulatedNetwork network({4, 4}, 200, 1);
  const MeasureRound flat = [](PairFact::Of, const Round& round) -> Result<std::vector<double>> {
    return std::vector<double>(round.size(), 1.0);
  };
  ProbeOptions options;
  options.time_is_up = [] { return true; };
  const auto found = probe_fabric(network.hosts(), flat, options);
  EXPECT_FALSE(found->leaves.sure);
  EXPECT_EQ(found->tournaments, 5);
  const MeasureRound broken = [](PairFact::Of, const Round&) -> Result<std::vector<double>> {
    return fail(Code::could_not_test, "a rank is gone");
  };
  EXPECT_EQ(probe_fabric(network.hosts(), broken, {}).error().code, Code::could_not_test);
}

}  // namespace
}  // namespace topolaunch::topo
