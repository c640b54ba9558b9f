// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu_record.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace topolaunch::bench {
namespace {

TEST(GpuRecord, ComesBackFromJsonAndLeavesOutWhatIsNotKnown) {
  GpuRecord record;
  record.rank = 3;
  record.busy_before = 87;
  record.waited = Seconds(10.5);
  record.sm_clock_lowest = 1005;
  record.held_back = {"HW thermal slowdown"};
  const Json json = to_json(record);
  EXPECT_FALSE(json.contains("temperature_highest_c"));
  const auto back = gpu_record_from_json(json, "m.json");
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(back->rank, 3);
  EXPECT_EQ(back->busy_before, 87);
  EXPECT_EQ(back->waited, Seconds(10.5));
  EXPECT_EQ(back->sm_clock_lowest, 1005);
  EXPECT_EQ(back->sm_clock_most, std::nullopt);
  EXPECT_EQ(back->temperature_highest, std::nullopt);
  EXPECT_THAT(back->held_back, testing::ElementsAre("HW thermal slowdown"));
}

TEST(GpuRecord, OfAnotherShapeIsRefused) {
  for (const char* text : {"{}", "[]", R"({"rank": "a"})", R"({"rank": 0, "held_back": 7})"}) {
    const auto record = gpu_record_from_json(Json::parse(text), "m.json");
    ASSERT_FALSE(record) << text;
    EXPECT_EQ(record.error().code, Code::invalid_input);
    EXPECT_THAT(record.error().text(), testing::HasSubstr("m.json"));
  }
}

}  // namespace
}  // namespace topolaunch::bench
