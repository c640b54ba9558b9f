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
