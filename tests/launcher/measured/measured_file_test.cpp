// SPDX-License-Identifier: Apache-2.0
#include "launcher/measured/measured_file.h"

#include <gmock/gmock.h>

namespace topolaunch::launcher {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// What a text that is no measurement looks like; "a measurement" for one that is.
std::string looks(const std::string& text) {
  const auto read = measured_file(text, "x");
  if (!read) return "damaged: " + read.error().text();
  const auto* const other = std::get_if<OtherFile>(&*read);
  return other == nullptr ? "a measurement" : other->looks;
}

std::string refusal(const std::string& text) {
  const auto read = measured_file(text, "x");
  if (!read) return read.error().text();
  const auto* const other = std::get_if<OtherFile>(&*read);
  return other == nullptr ? "a measurement" : other->refusal.text();
}

constexpr const char* kRow =
    R"({"size": 8, "count": 2, "out_of_place": {"time": 1, "alg_bw": 1, "bus_bw": 1},
"in_place": {"time": 1, "alg_bw": 1, "bus_bw": 1}})";

TEST(MeasuredFile, IsKnownByItsContent) {
  const auto kind = [](const std::string& text) { return measured_file(text, "x")->index(); };
  EXPECT_EQ(kind("# nThread 1\n#  Rank  0 Pid 1 on n1 device  0 [0000:18:00] H100\n"
                 " 1024 256 float sum -1 9.0 1.0 1.0 0 9.0 1.0 1.0 0\n"),
            0u);
  EXPECT_EQ(kind(R"({"config": {}, "results": []})"), 1u);
  EXPECT_EQ(kind("GB/s,a,b\na,,1\nb,1,\n"), 2u);
  EXPECT_EQ(kind("src,dst,latency_us\na,b,1\n"), 2u);
  EXPECT_EQ(kind("hello"), 3u);
}

TEST(MeasuredFile, WhatIsNoneSaysWhatItLooksLike) {
  EXPECT_EQ(looks(" \n"), "is empty");
  EXPECT_EQ(looks("\x1f\x8b\x08"), "is an archive (gzip)");
  EXPECT_EQ(looks(std::string("ELF\0\1", 5)), "holds binary data");
  EXPECT_EQ(looks("# How it was measured\n\nWith nccl-tests, twice.\n"), "text without figures");
  EXPECT_EQ(looks("SwitchName=s1 Nodes=a,b\nSwitchName=s2 Nodes=c,d\n"),
            "a topology: Slurm's topology.conf and scontrol show topology");
  EXPECT_EQ(looks("<?xml version=\"1.0\"?><topology version=\"2.0\"></topology>"),
            "a topology: hwloc XML (lstopo topo.xml)");
  EXPECT_EQ(looks(R"({"schema": "topolaunch.plan/1"})"), "a document of topolaunch.plan/1");
  EXPECT_EQ(looks(R"({"a": 1})"), "JSON without \"config\" and \"results\"");
  EXPECT_EQ(looks(R"({"results": []})"), "JSON without \"config\" and \"results\"");
  EXPECT_EQ(looks("{ not json"), "JSON that can't be read");
  EXPECT_EQ(looks("name,value\na,1\nb,2\n"), "a table of another kind");
}

TEST(MeasuredFile, IsRefusedByWhatItLooksLikeWhereItWasNamed) {
  EXPECT_THAT(refusal("SwitchName=s1 Nodes=a,b\n"),
              AllOf(HasSubstr("x: no measurement; it looks like a topology"),
                    HasSubstr("topobench's or nccl-tests' output")));
  EXPECT_THAT(refusal("name,value\na,1\nb,2\n"), HasSubstr("x:1: this is no table"));
  EXPECT_THAT(refusal("{\n1 }"), HasSubstr("x:2: not valid JSON"));
}

TEST(MeasuredFile, OneMeasurementIsOneRun) {
  const std::string run =
      "# nThread 1\n#  Rank  0 Pid 1 on n1 device  0 [0000:18:00] H100\n"
      " 1024 256 float sum -1 9.0 1.0 1.0 0 9.0 1.0 1.0 0\n# Avg bus bandwidth    : 1\n";
  EXPECT_EQ(one_measurement(run, "x").value().results.size(), 1u);
  EXPECT_TRUE(one_measurement(R"({"config": {}, "results": []})", "x"));
  const auto refused = [](const std::string& text) {
    return one_measurement(text, "x").error().text();
  };
  EXPECT_THAT(refused(run + run), HasSubstr("x: 2 runs, where one is wanted"));
  EXPECT_THAT(refused("src,dst,latency_us\na,b,1\n"), HasSubstr("a table of pairs"));
  EXPECT_THAT(refused("SwitchName=s1 Nodes=a,b\n"), HasSubstr("a topology"));
}

TEST(MeasuredFile, ADamagedMeasurementIsNamedByItsLine) {
  const std::string head = "{\"config\": {},\n\"results\": [\n";
  EXPECT_EQ(looks(head + kRow + "]}"), "a measurement");
  std::string negative = kRow;
  negative.replace(negative.rfind("\"time\": 1"), 9, "\"time\": -1");
  EXPECT_THAT(looks(head + kRow + ",\n" + negative + "]}"),
              HasSubstr("damaged: x:6: \"time\" is negative"));
  EXPECT_THAT(looks(head + "\n\n{}]}"), HasSubstr("x:5: \"size\" is missing"));
  EXPECT_THAT(looks(head + kRow), HasSubstr("damaged: x:4: not valid JSON")) << "cut off";
  EXPECT_THAT(looks("GB/s,a,b\na,,1\nb,many,\n"), HasSubstr("damaged: x:3: \"many\""));
}

}  // namespace
}  // namespace topolaunch::launcher
