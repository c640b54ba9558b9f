// SPDX-License-Identifier: Apache-2.0
#include "launcher/report/closing.h"

#include <gmock/gmock.h>

#include "tests/launcher/example_plan.h"

namespace topolaunch::launcher {
namespace {

using testing::HasSubstr;

Story story(bool gpus) {
  Story s;
  s.plan = example_plan(gpus);
  s.graph_origin = "world allreduce";
  s.solution.solution.seconds = Seconds(0.002);
  s.solution.solution.model = "nccl 2.28.9";
  s.solution.given.seconds = Seconds(0.004);
  s.solution.gain = {true, Seconds(0.002), "tp groups share NVLink pairs"};
  s.ending.elapsed = Seconds(12.5);
  s.directory = "~/.local/state/topolaunch/runs/x";
  return s;
}

TEST(ClosingLines, AreFourAndSayPlaceSpeedQuotaAndEnd) {
  const auto lines = closing_lines(story(true));
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0],
            "placed  2 ranks on GPUs 0,1 of box (H100 80GB HBM3); 50 % less than the given order: tp "
            "groups share NVLink pairs");
  EXPECT_EQ(lines[1], "speed   world allreduce estimated at 2 ms (nccl 2.28.9)");
  EXPECT_EQ(lines[2], "quota   none configured");
  EXPECT_EQ(lines[3], "ended   exit 0 after 12.5 s; files: ~/.local/state/topolaunch/runs/x");
}

TEST(ClosingLines, SayWhyNoGpuWasLookedFor) {
  Story s = story(false);
  s.topology.survey = {
      {"nvml", "box", topo::SurveyEntry::Status::unavailable, "libnvidia-ml.so.1 not found"}};
  EXPECT_EQ(closing_lines(s)[0],
            "placed  2 ranks on box, CPUs 0-7 (4 a rank); could not look for GPUs: "
            "libnvidia-ml.so.1 not found");
}

TEST(ClosingLines, HoldMeasurementBesideEstimate) {
  Story s = story(true);
  s.measurement = example_measurement();
  s.measured_estimate = Seconds(0.0009);
  s.verdict.checks = {{"ranks", Outcome::pass, "", "", "", ""}};
  EXPECT_EQ(closing_lines(s)[1],
            "speed   64 MiB allreduce in 1 ms, estimate 900 us (nccl 2.28.9); 1 check passed");
  s.verdict.checks.push_back({"allreduce", Outcome::not_applicable, "", "", "", "an estimate"});
  EXPECT_THAT(closing_lines(s)[1], HasSubstr("; 1 check passed, none of them of the speed"));
  s.verdict.checks.push_back({"cpus", Outcome::fail, "", "", "", "rank 1 on box"});
  EXPECT_THAT(closing_lines(s)[1], HasSubstr("check 'cpus' FAILED: rank 1 on box"));
}

TEST(ClosingLines, NameTheFirstFailingRankWithHostGpuAndCause) {
  Story s = story(true);
  s.ending.exit_status = 137;
  s.ending.first_failure = RankEnding{1, "box", 137, 9, true, false};
  EXPECT_THAT(closing_lines(s)[3],
              HasSubstr("exit 137: rank 1 on box (GPU 1, 0000:11:00.0): killed by SIGKILL, out of "
                        "memory after 12.5 s"));
}

TEST(ClosingLines, SayWhyThereAreNoFiles) {
  Story s = story(true);
  s.directory.clear();
  s.no_directory = "/x: can't make the folder";
  EXPECT_THAT(closing_lines(s)[3], HasSubstr("no files: /x"));
}

TEST(ClosingLines, ClaimNoGainWhereThereIsNone) {
  Story s = story(true);
  s.solution.gain = {false, Seconds(0), "all GPUs reach each other at the same speed"};
  EXPECT_THAT(closing_lines(s)[0], HasSubstr("no gain possible: all GPUs reach"));
}

}  // namespace
}  // namespace topolaunch::launcher
