// SPDX-License-Identifier: Apache-2.0
#include "launcher/measured/leaves_of_figures.h"

#include <gmock/gmock.h>

namespace topolaunch::launcher {
namespace {

using testing::HasSubstr;

/// Hosts a to h, the last `few` of them under a leaf of their own; 2 us (GB/s) inside, 4 (1)
/// across.
std::vector<bench::PairFigure> two_leaves(char few, bool latency) {
  std::vector<bench::PairFigure> figures;
  for (char a = 'a'; a <= 'h'; ++a) {
    for (char b = 'a'; b < a; ++b) {
      const bool across = (a > 'h' - few) != (b > 'h' - few);
      const double value = latency ? 1 / (across ? 4e-6 : 2e-6) : (across ? 1e9 : 2e9);
      figures.push_back({{a}, {b}, value, latency ? "latency" : "bandwidth", false, latency});
    }
  }
  return figures;
}

TEST(LeavesOfFigures, AreNamedAfterTheirFirstHostAndSaid) {
  auto figures = two_leaves(2, true);
  const auto checks = name_leaves(figures, "f");
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_EQ(checks[0].verdict, Outcome::not_applicable);
  EXPECT_EQ(checks[0].measured,
            "latency: 2 groups of hosts (6 hosts, g h), 2 times as long across");
  for (const auto& f : figures) {
    EXPECT_EQ(f.from_leaf == f.to_leaf, (f.from > "f") == (f.to > "f")) << f.from << f.to;
  }
  EXPECT_TRUE(bench::culprits_of_figures(figures).culprits.empty());
}

TEST(LeavesOfFigures, OfBandwidthMayBeAFaultOfAnUplink) {
  auto figures = two_leaves(3, false);
  const auto checks = name_leaves(figures, "f");
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_EQ(checks[0].verdict, Outcome::could_not_test);
  EXPECT_THAT(checks[0].suspect, HasSubstr("uplink"));
}

TEST(LeavesOfFigures, OfOneHostAloneAreNone) {
  auto figures = two_leaves(1, true);
  EXPECT_TRUE(name_leaves(figures, "f").empty());
  EXPECT_TRUE(figures[0].from_leaf.empty());
}

/// `leaves` of `each` hosts, h0 h1 ...: 24 GB/s inside, 12 across; `slow` at four tenths with all.
std::vector<bench::PairFigure> with_slow_host(int leaves, int each, int slow) {
  std::vector<bench::PairFigure> figures;
  for (int a = 0; a < leaves * each; ++a) {
    for (int b = 0; b < leaves * each; ++b) {
      if (a == b) continue;
      const double noise = 1 + 0.03 * ((a * 7 + b * 13) % 11 - 5) / 5;
      const double rate = (a / each == b / each ? 24e9 : 12e9) * noise;
      figures.push_back({"h" + std::to_string(a), "h" + std::to_string(b),
                         a == slow || b == slow ? 0.4 * rate : rate, "bandwidth", true, false});
    }
  }
  return figures;
}

TEST(LeavesOfFigures, AreSeenBehindASlowHostWhichIsNamed) {
  for (const auto& [leaves, each] : {std::pair(2, 4), std::pair(4, 4), std::pair(2, 8)}) {
    for (const int slow : {0, 5}) {
      auto figures = with_slow_host(leaves, each, slow);
      name_leaves(figures, "f");
      for (const auto& f : figures) {
        const auto leaf = [&](const std::string& host) { return std::stoi(host.substr(1)) / each; };
        EXPECT_EQ(f.from_leaf == f.to_leaf, leaf(f.from) == leaf(f.to)) << f.from << " " << f.to;
      }
      const auto culprits = bench::culprits_of_figures(figures).culprits;
      ASSERT_EQ(culprits.size(), 1u) << leaves << " leaves, slow h" << slow;
      EXPECT_EQ(culprits[0].name, "host h" + std::to_string(slow) + " or its link");
    }
  }
}

TEST(LeavesOfFigures, OfFiveAFaultyUplinkStandsOut) {
  auto sound = with_slow_host(5, 4, -1);
  const auto checks = name_leaves(sound, "f");
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_EQ(checks[0].verdict, Outcome::not_applicable);
  EXPECT_TRUE(bench::culprits_of_figures(sound).culprits.empty());
  auto faulty = with_slow_host(5, 4, -1);
  for (auto& f : faulty) {
    const auto second = [](const std::string& host) { return std::stoi(host.substr(1)) / 4 == 1; };
    if (second(f.from) != second(f.to)) f.value /= 2;
  }
  name_leaves(faulty, "f");
  const auto culprits = bench::culprits_of_figures(faulty).culprits;
  ASSERT_EQ(culprits.size(), 1u);
  EXPECT_EQ(culprits[0].name, "uplink of leaf of h4");
}

TEST(LeavesOfFigures, ReachTheDevicesOfTopobenchsPairs) {
  bench::Measurement m;
  m.pairs.emplace();
  m.pairs->latency = bench::Matrix(8);
  for (int r = 0; r < 8; ++r) {
    bench::Device device;
    device.rank = r;
    device.host = {static_cast<char>('a' + r)};
    m.devices.push_back(device);
    m.pairs->ranks.push_back(r);
    for (int s = 0; s < 8; ++s) {
      if (s == r) continue;
      m.pairs->latency.at(static_cast<std::size_t>(r), static_cast<std::size_t>(s)) =
          (r < 6) != (s < 6) ? 4e-6 : 2e-6;
    }
  }
  name_leaves(m);
  EXPECT_EQ(m.devices[5].leaf, "of a");
  EXPECT_EQ(m.devices[6].leaf, "of g");
  // What the launcher knew stays.
  m.devices[0].leaf = "s1";
  name_leaves(m);
  EXPECT_EQ(m.devices[0].leaf, "s1");
}

}  // namespace
}  // namespace topolaunch::launcher
