// SPDX-License-Identifier: Apache-2.0
#include "launcher/report/summary.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/launcher/example_plan.h"

namespace topolaunch::launcher {
namespace {

TEST(Summary, TellsAJobsOwn77FromADenial) {
  Story story;
  story.plan = example_plan();
  story.ending.exit_status = 77;
  story.ending.first_failure = RankEnding{1, "box", 77, 0, false, false};
  const Json job = summary_json(story);
  EXPECT_EQ(job["ended_by"], "job");
  EXPECT_EQ(job["exit_status"], 77);
  EXPECT_EQ(job["first_failure"]["rank"], 1);
  EXPECT_EQ(job["first_failure"]["gpu"], "0000:11:00.0");
  const Json denial = refusal_json("id", Error{Code::denied, "no", "", "", 0});
  EXPECT_EQ(denial["ended_by"], "refusal");
  EXPECT_EQ(denial["exit_status"], 77);
}

TEST(Observations, GoThroughJsonWhole) {
  auto seen = seen_as_planned(example_plan());
  seen[0].numa = {0, 1};
  seen[0].problems = {"x"};
  const Json json = observations_json(seen);
  const auto back = observations_from_json(json, "f");
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(observations_json(*back), json);
}

TEST(Observations, RefuseWhatIsNotRight) {
  for (const char* const text :
       {"{}", R"({"schema":"topolaunch.observation/1"})",
        R"({"schema":"topolaunch.observation/1","ranks":[{}]})",
        R"({"schema":"topolaunch.observation/1","ranks":[{"rank":0,"numa":"x"}]})",
        R"({"schema":"topolaunch.observation/1","ranks":[3]})"}) {
    const auto json = parse_json(text, "f");
    ASSERT_TRUE(json);
    EXPECT_FALSE(observations_from_json(*json, "f")) << text;
  }
}

}  // namespace
}  // namespace topolaunch::launcher
