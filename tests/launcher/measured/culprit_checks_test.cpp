// SPDX-License-Identifier: Apache-2.0
#include "launcher/measured/culprit_checks.h"

#include <gmock/gmock.h>

#include "tests/bench/simulated_pairs.h"

namespace topolaunch::launcher {
namespace {

TEST(CulpritChecks, ASlowLinkFailsWithItsNameAConfidenceAndATest) {
  bench::SimulatedMachine machine;
  machine.host_link_factor[2] = 0.5;
  const auto checks = check_culprits(bench::simulate(machine, 1));
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_EQ(checks[0].verdict, Outcome::fail);
  EXPECT_EQ(checks[0].suspect, "link of host h3");
  EXPECT_GT(checks[0].confidence, 0.9);
  EXPECT_THAT(checks[0].confirm, testing::HasSubstr("cable"));
  EXPECT_THAT(checks[0].measured, testing::HasSubstr("one way: 30 of 30 over it at 0."));
}

TEST(CulpritChecks, ASoundMachinePassesAndAFewRanksCouldNotBeTested) {
  const auto sound = check_culprits(bench::simulate({}, 3));
  ASSERT_EQ(sound.size(), 1u);
  EXPECT_EQ(sound[0].verdict, Outcome::pass);
  bench::SimulatedMachine two;
  two.hosts = 2;
  EXPECT_EQ(check_culprits(bench::simulate(two, 1)).at(0).verdict, Outcome::could_not_test);
  EXPECT_TRUE(check_culprits(bench::Measurement{}).empty());
}

}  // namespace
}  // namespace topolaunch::launcher
