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

Fact link(int from, GpuLink::To to, int peer, int count) {
  GpuLinkFact fact;
  fact.from.index = from;
  fact.to = to;
  if (to == GpuLink::To::gpu) fact.peer.index = peer;
  fact.count = count;
  return {{"s", {}, 0}, "h", fact};
}

std::string said(std::vector<Fact> facts) {
  return discover_with({{"s", std::move(facts)}})->entries[0].why;
}

TEST(Discover, CountsLinksAsOneCountsThemOnTheMachine) {
  using To = GpuLink::To;
  EXPECT_EQ(said({link(0, To::gpu, 1, 4), link(1, To::gpu, 0, 4)}), "4 GPU links");
  EXPECT_EQ(said({link(0, To::nvswitch, 0, 18), link(1, To::nvswitch, 0, 18)}), "36 GPU links");
  // 18 links to each of seven others, as nvidia-smi shows eight GPUs on NVSwitches.
  std::vector<Fact> matrix;
  for (int a = 0; a < 8; ++a) {
    for (int b = 0; b < 8; ++b) {
      if (a != b) matrix.push_back(link(a, To::gpu, b, 18));
    }
  }
  EXPECT_EQ(said(matrix), "144 GPU links");
}

TEST(Discover, CountsAGpuOnceThatATextNamesTwice) {
  const auto named = [](std::optional<int> number, std::string uuid, std::string host = "h") {
    GpuFact fact;
    fact.index = number;
    fact.uuid = std::move(uuid);
    return Fact{{"s", {}, 0}, std::move(host), fact};
  };
  // A matrix, a list and a query of UUIDs, of two GPUs.
  EXPECT_EQ(said({named(0, ""), named(1, ""), named(0, "a"), named(1, "b"), named({}, "a"),
                  named({}, "b")}),
            "2 GPUs");
  EXPECT_EQ(said({named(0, "", "h"), named(0, "", "i")}), "2 GPUs");
  EXPECT_EQ(said({named({}, ""), named({}, "")}), "2 GPUs");
  HostFact cpus;
  cpus.cpus = *CpuSet::from_list("0-7");
  NumaFact node;
  const Origin origin{"s", {}, 0};
  EXPECT_EQ(
      said({{origin, "h", cpus}, {origin, "h", node}, {origin, "h", cpus}, {origin, "h", node}}),
      "8 CPUs, 1 NUMA node");
}

TEST(Discover, CountsHostsAndMeasurementsWhereASourceSaysNoMore) {
  const Origin origin{"s", {}, 0};
  EXPECT_EQ(said({{origin, "a", MentionFact{}}}), "1 host");
  EXPECT_EQ(said({{origin, "a", MentionFact{}}, {origin, "b", MentionFact{}}}), "2 hosts");
  SwitchFact leaf;
  leaf.hosts = {"a", "b", "c"};
  EXPECT_EQ(said({{origin, {}, leaf}}), "3 hosts, 1 switch");
  EXPECT_EQ(said({{origin, {}, PairFact{"a", "b", PairFact::Of::latency, 1e-6, false}}}), "1 measured pair");
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
