// SPDX-License-Identifier: Apache-2.0
#include "topo/measured_fabric.h"

#include <gmock/gmock.h>

#include "tests/topo/facts.h"
#include "topo/pair_table.h"

namespace topolaunch::topo {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const Origin kTable{"measured", "pairs.csv", 3};

std::string host(int h) { return "h" + std::to_string(h); }

/// Bandwidths of all pairs of `count` hosts, by a function of the two.
template <class F>
std::vector<Fact> bandwidths(int count, F of) {
  std::vector<Fact> facts;
  for (int a = 0; a < count; ++a) {
    for (int b = 0; b < count; ++b) {
      if (a != b)
        facts.push_back(
            {kTable, "", PairFact{host(a), host(b), PairFact::Of::bandwidth, of(a, b), false}});
    }
  }
  return facts;
}

TEST(MeasuredFabric, MakesLeavesOfMeasurementsAndSaysHowSure) {
  const auto topology =
      assembled(bandwidths(8, [](int a, int b) { return (a < 4) == (b < 4) ? 48e9 : 21e9; }));
  EXPECT_EQ(topology.fabric.leaf_of_host, (std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_THAT(message_of(topology, "measured-leaves"),
              AllOf(HasSubstr("2 leaves"), HasSubstr("28 of 28 pairs"), HasSubstr("2.3 times")));
}

TEST(MeasuredFabric, SaysThatItIsUnsureAndWhatStandsOut) {
  const auto topology = assembled(bandwidths(12, [](int a, int b) {
    if ((a == 2 && b == 9) || (a == 9 && b == 2)) return 12e9;
    return a == 6 || b == 6 ? 24e9 : 48e9;
  }));
  EXPECT_TRUE(topology.fabric.empty());
  EXPECT_EQ(topology.hosts.size(), 12U);
  EXPECT_EQ(count_of(topology, "measured-unsure"), 1);
  EXPECT_THAT(message_of(topology, "measured-slow-host"), HasSubstr("h6 is 2 times slower"));
  EXPECT_EQ(count_of(topology, "measured-slow-host"), 1);
  EXPECT_THAT(message_of(topology, "measured-slow-pair"),
              AllOf(HasSubstr("h2 and h9"), HasSubstr("4 times")));
  EXPECT_EQ(count_of(topology, "measured-slow-pair"), 1);
}

TEST(MeasuredFabric, SeesThatOneWayIsSlow) {
  const auto topology = assembled(bandwidths(8, [](int a, int b) {
    return a == 1 && b == 5 ? 10e9 : (a < 4) == (b < 4) ? 48e9 : 40e9;
  }));
  EXPECT_THAT(message_of(topology, "measured-one-way"), HasSubstr("h1 to h5"));
}

TEST(MeasuredFabric, YieldsToWhoKnowsTheNetwork) {
  auto facts = bandwidths(8, [](int a, int b) { return (a < 4) == (b < 4) ? 48e9 : 21e9; });
  for (int leaf = 0; leaf < 2; ++leaf) {
    SwitchFact box;
    box.name = "l" + std::to_string(leaf);
    for (int h = 0; h < 8; ++h) {
      if (h % 2 == leaf) box.hosts.push_back(host(h));
    }
    facts.push_back({{"slurm", "topology.conf", leaf + 1}, "", box});
  }
  const auto topology = assembled(facts);
  EXPECT_EQ(topology.fabric.leaf_of_host[0], topology.fabric.leaf_of_host[2]);
  EXPECT_THAT(message_of(topology, "fabric-conflict"),
              AllOf(HasSubstr("slurm topology.conf"), HasSubstr("measured pairs.csv")));
}

TEST(PairTable, TakesTheLeastLatencyAndTheMedianBandwidth) {
  const auto far = [](PairFact::Of of, std::vector<double> values, bool concurrent) {
    std::vector<PairFact> pairs;
    for (const double value : values) pairs.push_back({"a", "b", of, value, concurrent});
    return PairTable(pairs, of).far(0, 1);
  };
  EXPECT_DOUBLE_EQ(far(PairFact::Of::latency, {9, 2, 5}, false), std::log(2.0));
  EXPECT_DOUBLE_EQ(far(PairFact::Of::bandwidth, {9, 2, 5}, false), -std::log(5.0));
  EXPECT_DOUBLE_EQ(far(PairFact::Of::bandwidth, {9, 1, 5, 6}, false), -std::log(6.0));
  EXPECT_DOUBLE_EQ(far(PairFact::Of::bandwidth, {9, 1, 5, 6}, true), -std::log(5.0));
}

TEST(PairTable, LeavesOutWhatIsNoMeasurement) {
  const PairTable table({{"a", "b", PairFact::Of::latency, 0, false},
                         {"a", "a", PairFact::Of::latency, 1, false},
                         {"c", "d", PairFact::Of::latency, 1, false}},
                        PairFact::Of::latency);
  EXPECT_EQ(table.size(), 2U);
  EXPECT_EQ(table.measured(), 1U);
}

}  // namespace
}  // namespace topolaunch::topo
