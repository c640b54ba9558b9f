// SPDX-License-Identifier: Apache-2.0
#include "launcher/report/checks_text.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "launcher/report/summary.h"
#include "tests/launcher/example_plan.h"

namespace topolaunch::launcher {
namespace {

using testing::HasSubstr;

TEST(ChecksText, EndsWithTheVerdict) {
  Verdict verdict;
  verdict.checks = {{"cpus", Outcome::fail, "1 of 2 ranks", "bound as planned", "plan", "rank 1"}};
  EXPECT_EQ(checks_text(verdict),
            "fail            cpus            1 of 2 ranks; expected bound as planned (plan)\n"
            "                -> rank 1\n"
            "verdict: fail\n");
}

TEST(RunText, SaysWhatTheFilesSayAndWhatIsMissing) {
  Story story;
  story.plan = example_plan();
  Json parts;
  parts["files"] = "/r";
  EXPECT_THAT(run_text(story.plan, parts, {}), HasSubstr("ended    not known"));
  parts["summary"] = summary_json(story);
  parts["measurement"] = bench::to_json(example_measurement());
  const std::string text = run_text(story.plan, parts, {});
  EXPECT_THAT(text, HasSubstr("ended    exit 0, by job"));
  EXPECT_THAT(text, HasSubstr("nccl 2.28.9"));
  EXPECT_THAT(text, HasSubstr("64 MiB"));
}

}  // namespace
}  // namespace topolaunch::launcher
