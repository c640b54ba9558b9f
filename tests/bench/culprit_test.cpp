// SPDX-License-Identifier: Apache-2.0
#include "bench/culprit.h"

#include <gmock/gmock.h>

#include "tests/bench/simulated_pairs.h"

namespace topolaunch::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr unsigned kSeeds = 12;

std::vector<std::string> names(const Findings& findings) {
  std::vector<std::string> out;
  for (const Culprit& c : findings.culprits) out.push_back(c.name);
  return out;
}

void expect_named(const SimulatedMachine& machine, const std::string& name) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const Findings found = culprits_of_pairs(simulate(machine, seed));
    EXPECT_TRUE(found.judged);
    EXPECT_THAT(names(found), ElementsAre(name)) << "seed " << seed;
    if (found.culprits.empty()) continue;
    EXPECT_GT(found.culprits[0].confidence, 0.6);
    EXPECT_FALSE(found.culprits[0].confirm.empty());
    EXPECT_FALSE(found.culprits[0].evidence.empty());
  }
}

TEST(Culprit, NobodyIsNamedOnASoundMachine) {
  for (const double scatter : {0.01, 0.03, 0.10}) {
    for (unsigned seed = 0; seed < 20; ++seed) {
      for (const int ranks : {1, 2}) {
        SimulatedMachine machine;
        machine.scatter = scatter;
        machine.ranks_per_host = ranks;
        if (ranks == 2) machine.hosts = 8;
        EXPECT_THAT(names(culprits_of_pairs(simulate(machine, seed))), ElementsAre())
            << "seed " << seed << " scatter " << scatter << " ranks " << ranks;
      }
    }
  }
}

TEST(Culprit, AHostLinkAtHalfRateIsNamed) {
  SimulatedMachine machine;
  machine.host_link_factor[6] = 0.5;
  expect_named(machine, "link of host h7");
}

TEST(Culprit, AThrottledHostIsToldFromASlowLink) {
  SimulatedMachine machine;
  machine.host_factor[9] = 0.5;
  expect_named(machine, "host h10");
}

TEST(Culprit, AThrottledHostWhoseLinkHidesItIsNamedByTheKernelsCount) {
  SimulatedMachine machine;
  Measurement m = simulate(machine, 1);
  m.pairs->local[9] *= 0.4;
  EXPECT_THAT(names(culprits_of_pairs(m)), ElementsAre())
      << "somebody else may have had its CPU for the moment, and no communication is slower";
  m.pairs->held_back.assign(m.pairs->ranks.size(), 0);
  m.pairs->held_back[9] = 0.6;
  EXPECT_THAT(names(culprits_of_pairs(m)), ElementsAre("host h10"));
}

TEST(Culprit, PathsOfAHostThatIsAtFaultAreNoFaultsOfTheirOwn) {
  SimulatedMachine machine;
  machine.host_factor[9] = 0.3;
  Measurement m = simulate(machine, 1);
  m.pairs->held_back.assign(m.pairs->ranks.size(), 0);
  m.pairs->held_back[9] = 0.8;
  for (const std::size_t other : {1U, 4U, 12U}) {  // stops that one test in three meets
    m.pairs->one_way.at(other, 9) *= 0.3;
    m.pairs->both_ways.at(other, 9) *= 0.3;
  }
  EXPECT_THAT(names(culprits_of_pairs(m)), ElementsAre("host h10"));
}

TEST(Culprit, ALeafUplinkAtHalfRateIsNamed) {
  SimulatedMachine machine;
  machine.leaf_factor[2] = 0.4;  // also below what one pair takes
  expect_named(machine, "uplink of leaf s3");
}

TEST(Culprit, AnUplinkThatOnlyManyPairsTogetherFillIsNamed) {
  SimulatedMachine machine;
  machine.uplink_rate = 100e9;
  machine.leaf_factor[1] = 0.5;  // one pair alone doesn't notice
  expect_named(machine, "uplink of leaf s2");
}

TEST(Culprit, OfTwoLeavesNeitherUplinkHasAnythingToBeHeldAgainst) {
  SimulatedMachine machine;
  machine.hosts = 8;
  machine.leaf_factor[1] = 0.3;  // every pair that crosses goes over both uplinks
  for (unsigned seed = 0; seed < 3; ++seed) {
    // Nothing crosses fast, so nothing says that crossing could be faster: nobody is named.
    EXPECT_THAT(names(culprits_of_pairs(simulate(machine, seed))), ElementsAre()) << "seed " << seed;
  }
}

TEST(Culprit, OneRankOfAHostIsNamed) {
  SimulatedMachine machine;
  machine.hosts = 4;
  machine.hosts_per_leaf = 4;
  machine.ranks_per_host = 4;
  machine.rank_factor[6] = 0.5;
  expect_named(machine, "rank 6 on h2");
}

TEST(Culprit, ALinkIsToldFromItsHostByThePairsThatStayInside) {
  SimulatedMachine machine;
  machine.hosts = 6;
  machine.hosts_per_leaf = 6;
  machine.ranks_per_host = 4;
  machine.host_link_factor[2] = 0.3;
  expect_named(machine, "link of host h3");
}

TEST(Culprit, OnePathIsNamedIfTwoMeasurementsAgree) {
  SimulatedMachine machine;
  machine.path_factor[{3, 11}] = machine.path_factor[{11, 3}] = 0.25;
  expect_named(machine, "path h12 - h4");
  SimulatedMachine sound;
  Measurement once = simulate(sound, 5);
  once.pairs->one_way.at(2, 9) *= 0.3;  // a hiccup while this was measured
  EXPECT_THAT(names(culprits_of_pairs(once)), ElementsAre());
}

TEST(Culprit, OneDirectionIsNamed) {
  SimulatedMachine machine;
  machine.path_factor[{3, 11}] = 0.25;
  expect_named(machine, "h4 sending to h12");
}

TEST(Culprit, OfFiguresByOthersHostAndLinkAreNamedTogether) {
  std::vector<PairFigure> figures;
  for (int a = 0; a < 6; ++a) {
    for (int b = a + 1; b < 6; ++b) {
      const double v = (a == 2 || b == 2 ? 23e9 : 48e9) * (1 + 0.002 * (a + b));
      figures.push_back({"n" + std::to_string(a), "n" + std::to_string(b), v, "all_reduce"});
    }
  }
  const Findings found = culprits_of_figures(figures);
  ASSERT_THAT(names(found), ElementsAre("host n2 or its link"));
  EXPECT_THAT(found.culprits[0].evidence, HasSubstr("all_reduce: 5 of 5 over it at 0.48 of"));
}

TEST(Culprit, TwoHostsHaveNothingToBeHeldAgainst) {
  const Findings found = culprits_of_figures({{"a", "b", 1e9, "t"}});
  EXPECT_FALSE(found.judged);
  EXPECT_THAT(found.why_not, HasSubstr("too few"));
}

TEST(Culprit, OfGroupsTheRankWhereSlowOnesCross) {
  // 16 ranks as 4 x 4: rank 6 is in group 1 of tp and group 2 of dp.
  Measurement m;
  for (int r = 0; r < 16; ++r) {
    m.devices.push_back({r, 1, "h" + std::to_string(r), "cpu", "", -1, 0, "", ""});
  }
  for (const bool tp : {true, false}) {
    for (int g = 0; g < 4; ++g) {
      GroupResult group{tp ? "tp" : "dp", g, {}, {}};
      for (int i = 0; i < 4; ++i) group.ranks.push_back(tp ? 4 * g + i : 4 * i + g);
      SizeResult r;
      r.size = 1 << 20;
      r.out_of_place.busbw = (tp ? 10e9 : 4e9) * (1 + 0.01 * g) * (g == (tp ? 1 : 2) ? 0.5 : 1);
      group.results.push_back(r);
      m.groups.push_back(group);
    }
  }
  const Findings found = culprits_of_groups(m);
  ASSERT_FALSE(found.culprits.empty());
  EXPECT_THAT(found.culprits[0].name, HasSubstr("h6"));
}

}  // namespace
}  // namespace topolaunch::bench
