// SPDX-License-Identifier: Apache-2.0
#include "topo/survey.h"

#include <gmock/gmock.h>

#include "tests/topo/source/fixed_source.h"

namespace topolaunch::topo {
namespace {

using test::discover_with;
using test::gpu;

TEST(Discover, TellsNothingSeenFromCouldNotLook) {
  const auto survey = discover_with({{"a", std::vector<Fact>{gpu("a", "0000:01:00.0")}},
                                     {"b", std::vector<Fact>{}},
                                     {"c", fail(Code::unavailable, "no door", "knock")}});
  ASSERT_TRUE(survey);
  ASSERT_EQ(survey->entries.size(), 3U);
  EXPECT_EQ(survey->entries[0].status, SurveyEntry::Status::ok);
  EXPECT_EQ(survey->entries[0].why, "1 GPU");
  EXPECT_EQ(survey->entries[1].status, SurveyEntry::Status::nothing);
  EXPECT_EQ(survey->entries[2].status, SurveyEntry::Status::unavailable);
  EXPECT_THAT(survey->entries[2].why, testing::HasSubstr("no door"));
  EXPECT_EQ(survey->entries[2].host, "h");
  EXPECT_TRUE(survey->live);
}

TEST(Discover, EndsAtABrokenFile) {
  const auto survey = discover_with({{"a", fail(Error{Code::invalid_input, "cut off", {}, "x.xml", 7})}});
  ASSERT_FALSE(survey);
  EXPECT_EQ(survey.error().code, Code::invalid_input);
  EXPECT_THAT(survey.error().text(), testing::HasSubstr("x.xml:7"));
}

TEST(LiveSources, AreHwlocNvmlAndSysfs) {
  std::vector<std::string> names;
  for (const auto& source : live_sources("h")) {
    names.push_back(source->name());
    EXPECT_EQ(source->host(), "h");
  }
  EXPECT_THAT(names, testing::ElementsAre("hwloc", "nvml", "sysfs"));
}

}  // namespace
}  // namespace topolaunch::topo
