// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "bench/measurement.h"
#include "tests/bench/example.h"

namespace topolaunch::bench {
namespace {

using testing::HasSubstr;

TEST(MeasurementJson, ComesBackAsItWent) {
  const Measurement m = example_measurement();
  const auto read = parse_json(to_pretty(to_json(m)), "m.json");
  ASSERT_TRUE(read) << read.error().text();
  const auto back = measurement_from_json(*read, "m.json");
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(to_pretty(to_json(*back)), to_pretty(to_json(m)));
  ASSERT_EQ(back->results.size(), 2u);
  EXPECT_EQ(back->results[0].in_place.raw, m.results[0].in_place.raw);
  EXPECT_EQ(back->devices[1].index, 3);
  EXPECT_EQ(back->wrong, 6);
}

TEST(MeasurementJson, HasNcclTestsNamesAndUnits) {
  const Json json = to_json(example_measurement());
  EXPECT_EQ(json.at("schema"), "topolaunch.bench/1");
  const Json& row = json.at("results").at(0);
  EXPECT_EQ(row.at("size"), 1024);
  EXPECT_EQ(row.at("redop"), "sum");
  EXPECT_NEAR(row.at("out_of_place").at("time").get<double>(), 12.345, 1e-9);        // us
  EXPECT_NEAR(row.at("in_place").at("alg_bw").get<double>(), 0.1024, 1e-9);          // GB/s
  EXPECT_NEAR(row.at("in_place").at("p99_seconds").get<double>(), 20e-6, 1e-12);
  EXPECT_EQ(row.at("in_place").at("nwrong"), 3);
  EXPECT_EQ(json.at("config").at("devices").at(1).at("hostname"), "n2");
  EXPECT_EQ(json.at("placement").at(1).at("gpu"), "0000:18:00.0");
  EXPECT_TRUE(json.at("placement").at(0).at("gpu").is_null());
  EXPECT_EQ(json.at("out_of_bounds").at("count"), 6);
}

TEST(MeasurementJson, ReadsWhatNcclTestsWrites) {
  const char* shared = std::getenv("TOPOLAUNCH_SHARED");
  const RootedFiles files;
  const std::string path = std::string(shared == nullptr ? "" : shared) +
                           "/samples/measured/all_reduce_perf-2x8-healthy.json";
  if (shared == nullptr || !files.exists(path)) GTEST_SKIP() << "no shared samples here";
  const auto json = parse_json(*files.read(path, 1 << 20), path);
  ASSERT_TRUE(json) << json.error().text();
  const auto m = measurement_from_json(*json, path);
  ASSERT_TRUE(m) << m.error().text();
  EXPECT_EQ(m->collective, "allreduce");
  EXPECT_EQ(m->backend_version, "2.28.9");
  EXPECT_EQ(m->ranks, 16);
  EXPECT_EQ(m->hosts, 2);
  EXPECT_EQ(m->wrong, 0);
  ASSERT_EQ(m->results.size(), 14u);
  EXPECT_EQ(m->results.back().size, std::int64_t{8} << 30);
  EXPECT_EQ(m->results.front().root, -1);
  EXPECT_NEAR(m->results.front().out_of_place.time.count(), 39.08194e-6, 1e-12);
  EXPECT_NEAR(m->results.back().out_of_place.busbw, 393.993109e9, 1);
  EXPECT_NEAR(m->average_busbw, 296.930314e9, 1e3);
}

TEST(MeasurementJson, RefusesWhatIsNoMeasurementAndNamesTheMember) {
  const auto why = [](const char* text) {
    const auto m = measurement_from_json(*parse_json(text, "x.json"), "x.json");
    return m ? std::string("accepted") : m.error().text();
  };
  EXPECT_THAT(why("[]"), HasSubstr("not a measurement"));
  EXPECT_THAT(why("{}"), HasSubstr("x.json"));
  EXPECT_THAT(why(R"({"schema":"topolaunch.plan/1"})"), HasSubstr("topolaunch.bench/1"));
  EXPECT_THAT(why(R"({"config":{},"results":[{"size":8}]})"), HasSubstr("\"count\" is missing"));
  EXPECT_THAT(why(R"({"config":{},"results":[{"size":8,"count":2}]})"), HasSubstr("out_of_place"));
  EXPECT_THAT(why(R"({"config":{},"results":[7]})"), HasSubstr("\"size\" is missing"));
  const char* timing = R"({"config":{},"results":[{"size":8,"count":2,"out_of_place":{"time":%}}]})";
  std::string bad = timing;
  bad.replace(bad.find('%'), 1, "-1");
  EXPECT_THAT(why(bad.c_str()), HasSubstr("\"time\" is negative"));
  EXPECT_THAT(why(R"({"config":{"iterations":1e300},"results":[]})"), HasSubstr("iterations"));
  EXPECT_THAT(why(R"({"config":{"devices":{}},"results":[]})"), HasSubstr("devices"));
  EXPECT_THAT(why(R"({"config":{"devices":[1]},"results":[]})"), HasSubstr("rank"));
}

}  // namespace
}  // namespace topolaunch::bench
