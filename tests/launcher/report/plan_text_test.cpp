// SPDX-License-Identifier: Apache-2.0
#include "launcher/report/plan_text.h"

#include <gmock/gmock.h>

#include "tests/launcher/example_plan.h"

namespace topolaunch::launcher {
namespace {

TEST(PlanTable, HasALineARankInColumns) {
  EXPECT_EQ(plan_table(example_plan()),
            "rank  host  gpu             numa  cpus  nics\n"
            "0     box   0 0000:10:00.0  0     0-3   -\n"
            "1     box   1 0000:11:00.0  1     4-7   -\n");
}

TEST(PlanTable, SaysASharedNoteOnce) {
  Plan plan = example_plan(false);
  plan.ranks[0].note = plan.ranks[1].note = "locality unknown";
  const std::string table = plan_table(plan);
  EXPECT_EQ(table.find("locality unknown"), table.rfind("locality unknown"));
}

TEST(DryRunText, ShowsCommandsAsAShellReadsThem) {
  Story story;
  story.plan = example_plan();
  story.plan.unset = {"TOPOLAUNCH_QUOTA_TOKEN_FILE"};
  const std::string text = dry_run_text(story, {{"mpirun", "-n", "2", "a b"}});
  EXPECT_THAT(text, testing::HasSubstr("job     python 'train me.py' in /home/u"));
  EXPECT_THAT(text, testing::HasSubstr("would run:\n  mpirun -n 2 'a b'\n"));
  EXPECT_THAT(text, testing::HasSubstr("  RANK=0\n"));
  EXPECT_THAT(text, testing::HasSubstr("(TOPOLAUNCH_QUOTA_TOKEN_FILE is taken out)"));
}

}  // namespace
}  // namespace topolaunch::launcher
