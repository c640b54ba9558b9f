// SPDX-License-Identifier: Apache-2.0
#include "launcher/quick_check.h"

#include <gtest/gtest.h>

#include "launcher/manifest.h"
#include "launcher/passed_before.h"
#include "tests/launcher/example_host.h"
#include "tests/launcher/example_plan.h"

namespace topolaunch::launcher {
namespace {

TEST(DecideMeasure, MeasuresSeveralGpusOncePerBoot) {
  const TemporaryWorld world;
  const Plan plan = example_plan(true);
  EXPECT_TRUE(decide_measure("auto", plan, world.outside()).measure);
  remember_pass(placement_hash(plan), "run", example_measurement(), world.outside());
  EXPECT_FALSE(decide_measure("auto", plan, world.outside()).measure);
  EXPECT_TRUE(decide_measure("quick", plan, world.outside()).measure) << "asked for by name";
}

TEST(DecideMeasure, LeavesCpusAndSingleRanksAlone) {
  const TemporaryWorld world;
  EXPECT_FALSE(decide_measure("auto", example_plan(false), world.outside()).measure);
  EXPECT_TRUE(decide_measure("quick", example_plan(false), world.outside()).measure);
  Plan one = example_plan(true);
  one.ranks.pop_back();
  EXPECT_FALSE(decide_measure("quick", one, world.outside()).measure);
  EXPECT_FALSE(decide_measure("placement", example_plan(true), world.outside()).measure);
}

TEST(DecideMeasure, CannotWhereRanksShareAGpu) {
  const TemporaryWorld world;
  Plan plan = example_plan(true);
  for (RankPlan& rank : plan.ranks) rank.gpu_index = 0;
  for (const char* const how : {"auto", "quick", "full"}) {
    EXPECT_FALSE(decide_measure(how, plan, world.outside()).measure) << how;
  }
  EXPECT_TRUE(decide_measure("quick", plan, world.outside()).asked) << "so that it is said";
}

TEST(DecideMeasure, CannotWhereOnlyADescriptionHasTheGpus) {
  const TemporaryWorld world;
  const RootedFiles machine(world.folder());
  const Outside outside{machine, world.commands, world.clock, world.environment};
  const Plan plan = example_plan(true);
  const auto decision = decide_measure("quick", plan, outside, true);
  EXPECT_FALSE(decision.measure);
  EXPECT_TRUE(decision.asked) << "so that it is said";
  EXPECT_NE(decision.why_not.find("this machine has none"), std::string::npos);
  EXPECT_TRUE(decide_measure("quick", plan, outside).measure) << "what was seen is there";
  world.file("dev/nvidiactl", "");
  EXPECT_TRUE(decide_measure("quick", plan, outside, true).measure);
}

TEST(MeasureBefore, SaysWhenItCouldNotBeDone) {
  TemporaryWorld world;
  world.environment.set("TOPOLAUNCH_TOPOBENCH", "/nowhere/topobench");
  const Voice silent{[](const std::string&) {}, [](const std::string&) {}};
  Story story;
  story.plan = example_plan(true);
  RunOptions options;
  ASSERT_TRUE(measure_before(options, story, world.outside(), silent));
  ASSERT_EQ(story.verdict.checks.size(), 2U);
  EXPECT_EQ(story.verdict.checks[0].name, "links") << "seen without measuring";
  EXPECT_EQ(story.verdict.checks[1].verdict, Outcome::not_applicable) << "auto: nobody asked";
  options.validate = "quick";
  story.verdict = {};
  ASSERT_TRUE(measure_before(options, story, world.outside(), silent));
  EXPECT_EQ(story.verdict.checks[1].verdict, Outcome::could_not_test);
}

}  // namespace
}  // namespace topolaunch::launcher
