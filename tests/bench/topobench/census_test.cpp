// SPDX-License-Identifier: Apache-2.0
#include "bench/topobench/census.h"

#include <gmock/gmock.h>

namespace topolaunch::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Participant on(int rank, const std::string& host, const std::string& device,
               const std::string& cpus = "0-3") {
  Participant p;
  p.device.rank = rank;
  p.device.host = host;
  p.device.device = device;
  p.device.cpus = cpus;
  p.host_key = host + " boot";
  return p;
}

TEST(Census, AsManyRanksAsExpectedOnDevicesOfTheirOwnAreFine) {
  const std::vector<Participant> all{on(0, "n1", "0000:18:00.0"), on(1, "n1", "0000:2a:00.0"),
                                     on(2, "n2", "0000:18:00.0"), on(3, "n2", "0000:2a:00.0")};
  EXPECT_TRUE(check_census(all, Expectation{4, "--expect-ranks"}));
  EXPECT_TRUE(check_census(all, std::nullopt));
}

TEST(Census, WorldsOfOneRankAreTold) {
  const auto s = check_census({on(0, "n1", "cpu")}, Expectation{4, "WORLD_SIZE"});
  ASSERT_FALSE(s);
  EXPECT_EQ(s.error().code, Code::validation_failed);
  EXPECT_THAT(s.error().message, HasSubstr("4 worlds of one rank"));
  EXPECT_THAT(s.error().message, HasSubstr("WORLD_SIZE"));
}

TEST(Census, AnyOtherCountIsRefusedWithBothNumbers) {
  const auto s = check_census({on(0, "n1", "cpu"), on(1, "n1", "cpu")}, Expectation{3, "PMI_SIZE"});
  ASSERT_FALSE(s);
  EXPECT_THAT(s.error().message, testing::AllOf(HasSubstr("3 ranks"), HasSubstr("sees 2")));
}

TEST(Census, TwoRanksOnOneGpuAreNamedWithHostAndDevice) {
  const auto s = check_census({on(0, "n1", "0000:18:00.0"), on(1, "n2", "0000:18:00.0"),
                               on(2, "n2", "0000:18:00.0")},
                              std::nullopt);
  ASSERT_FALSE(s);
  EXPECT_EQ(s.error().code, Code::validation_failed);
  EXPECT_EQ(s.error().message, "ranks 1 and 2 are both on GPU 0000:18:00.0 of n2");
}

TEST(Census, HostsOfOneNameAreToldApartByTheirBoot) {
  std::vector<Participant> all{on(0, "node", "0000:18:00.0"), on(1, "node", "0000:18:00.0")};
  all[1].host_key = "node another boot";
  EXPECT_TRUE(check_census(all, std::nullopt));
  EXPECT_EQ(count_hosts(all), 2);
}

TEST(Census, LocalRanksCountPerHost) {
  std::vector<Participant> all{on(0, "a", "cpu"), on(1, "b", "cpu"), on(2, "a", "cpu")};
  EXPECT_EQ(count_hosts(all), 2);
  EXPECT_EQ(all[2].device.local_rank, 1);
  EXPECT_EQ(all[1].device.local_rank, 0);
}

TEST(Census, SharedCpusAreNoted) {
  EXPECT_THAT(census_notes({on(0, "a", "cpu", "0"), on(1, "a", "cpu", "1")}), ElementsAre());
  EXPECT_THAT(census_notes({on(0, "a", "cpu", "0-1"), on(1, "a", "cpu", "0-1")}),
              ElementsAre(HasSubstr("aren't bound")));
  EXPECT_THAT(census_notes({on(0, "a", "cpu", "0"), on(1, "a", "cpu", "0"), on(2, "b", "cpu", "0")}),
              ElementsAre(HasSubstr("2 ranks share 1 CPUs of a")));
}

TEST(Census, ExpectationComesFromTheOptionElseFromTheLauncherAround) {
  EXPECT_EQ(expected_ranks(3, {{"WORLD_SIZE", "8"}})->ranks, 3);
  const Environment torch{{"WORLD_SIZE", "8"}, {"LOCAL_RANK", "1"}};
  EXPECT_EQ(expected_ranks({}, torch)->ranks, 8);
  EXPECT_EQ(expected_ranks({}, torch)->said_by, "WORLD_SIZE");
  // What a pod or a batch script has set says nothing about this process.
  EXPECT_FALSE(expected_ranks({}, {{"WORLD_SIZE", "8"}}));
  EXPECT_FALSE(expected_ranks({}, {{"SLURM_NTASKS", "8"}}));
  EXPECT_EQ(expected_ranks({}, {{"SLURM_NTASKS", "8"}, {"SLURM_PROCID", "0"}})->ranks, 8);
  EXPECT_FALSE(expected_ranks({}, {{"PMI_SIZE", "lots"}, {"PMI_RANK", "0"}}));
}

TEST(Census, IntroductionsComeBackAsTheyWent) {
  Participant p = on(3, "h\"ost", "cpu");
  p.device.pid = 12;
  const auto back = participant_from_wire(to_wire(p));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->device.host, "h\"ost");
  EXPECT_EQ(back->device.pid, 12);
  EXPECT_EQ(back->host_key, p.host_key);
  EXPECT_FALSE(participant_from_wire("{}"));
}

}  // namespace
}  // namespace topolaunch::bench
