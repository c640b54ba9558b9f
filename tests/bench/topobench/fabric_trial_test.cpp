// SPDX-License-Identifier: Apache-2.0
#include "bench/topobench/fabric_trial.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/bench/topobench/mpirun.h"

namespace topolaunch::bench {
namespace {

using testing::HasSubstr;

std::string fault(const std::string& text, int processes) {
  const auto trial = fabric_trial_from_json(*parse_json(text, "t"), processes);
  return trial ? "taken" : trial.error().message;
}

TEST(FabricTrial, WantsANameForEveryRank) {
  EXPECT_EQ(fault(R"({"hosts": ["a", "b", "c", "d"]})", 4), "taken");
  EXPECT_THAT(fault(R"({"hosts": ["a", "b", "c"]})", 4), HasSubstr("3 hosts for 4 ranks"));
  EXPECT_THAT(fault(R"({"hosts": ["a", "b", "a", "d"]})", 4), HasSubstr("named twice"));
  EXPECT_THAT(fault(R"({"hosts": 4})", 4), HasSubstr("fabric trial"));
  EXPECT_THAT(fault("{}", 1), HasSubstr("hosts"));
}

// The ranks of one machine have no network between them: whatever comes out, all pairs were measured.
TEST(FabricTrial, MeasuresEveryPairThreeTimes) {
  NEEDS_MPIRUN();
  const auto run =
      mpirun(5, "bench/topobench", {"__probe", R"({"hosts": ["a", "b", "c", "d", "e"], "seconds": 0.1})"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto json = parse_json(run.out, "out");
  ASSERT_TRUE(json) << run.out;
  EXPECT_EQ((*json)["schema"], "topolaunch.probe/1");
  EXPECT_EQ((*json)["hosts"].size(), 5U);
  const int tournaments = (*json)["tournaments"].get<int>();
  if ((*json)["by"] == "bandwidth") {
    // 5 rounds of 2 pairs a tournament, and as many for latency before.
    EXPECT_GE(tournaments, 3);
    EXPECT_EQ((*json)["rounds"].get<int>(), 5 * (1 + tournaments));
    EXPECT_GE((*json)["bytes_sent"].get<std::int64_t>(),
              tournaments * 20 * (*json)["message_bytes"].get<std::int64_t>());
  }
  for (std::size_t a = 0; a < 5; ++a) {
    for (std::size_t b = 0; b < 5; ++b) {
      const Json& value = (*json)["latency_seconds"][a][b];
      EXPECT_EQ(value.is_number(), a != b) << a << ' ' << b;
      if (a != b) {
        EXPECT_GT(value.get<double>(), 0) << a << ' ' << b;
      }
    }
  }
}

TEST(FabricTrial, RefusesOtherRanksThanHosts) {
  NEEDS_MPIRUN();
  const auto run = mpirun(2, "bench/topobench", {"__probe", R"({"hosts": ["a"]})"});
  EXPECT_EQ(run.status, 64);
  EXPECT_THAT(run.err, HasSubstr("topobench: fabric trial: 1 hosts for 2 ranks"));
}

}  // namespace
}  // namespace topolaunch::bench
