// SPDX-License-Identifier: Apache-2.0
#include "topo/survey.h"

#include <gmock/gmock.h>

#include "tests/support/memory_files.h"
#include "tests/topo/source/capture.h"
#include "topo/source/reachable.h"

namespace topolaunch::topo {
namespace {

class FixedSource final : public Source {
 public:
  FixedSource(std::string name, Result<std::vector<Fact>> answer)
      : name_(std::move(name)), answer_(std::move(answer)) {}
  std::string name() const override { return name_; }
  std::string host() const override { return "h"; }
  Result<std::vector<Fact>> look(const Outside& /*outside*/) const override { return answer_; }

 private:
  std::string name_;
  Result<std::vector<Fact>> answer_;
};

Fact gpu(const std::string& source, const std::string& pci, unsigned vendor = 0x10de) {
  GpuFact fact;
  fact.pci = *PciAddress::parse(pci);
  fact.pci_vendor = vendor;
  return {{source, {}, 0}, "h", fact};
}

Result<Survey> discover_with(std::vector<std::pair<std::string, Result<std::vector<Fact>>>> answers) {
  Sources sources;
  for (auto& [name, answer] : answers) {
    sources.push_back(std::make_unique<FixedSource>(name, std::move(answer)));
  }
  const test::MemoryFiles files;
  const test::TestOutside outside(files, {});
  return discover(sources, outside.get());
}

std::vector<std::string> gpus(const Survey& survey) {
  std::vector<std::string> out;
  for (const auto& fact : survey.facts) {
    if (const auto* one = std::get_if<GpuFact>(&fact.what)) {
      out.push_back(fact.origin.source + " " + one->pci->text());
    }
  }
  return out;
}

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

TEST(Discover, LetsNvmlDecideWhichGpusCanBeUsed) {
  const auto survey = discover_with(
      {{"hwloc", std::vector<Fact>{gpu("hwloc", "0000:01:00.0"), gpu("hwloc", "0000:02:00.0"),
                                   gpu("hwloc", "0000:03:00.0", 0x1002)}},
       {"nvml", std::vector<Fact>{gpu("nvml", "0000:02:00.0")}}});
  ASSERT_TRUE(survey);
  EXPECT_THAT(gpus(*survey), testing::UnorderedElementsAre("hwloc 0000:02:00.0", "nvml 0000:02:00.0",
                                                           "hwloc 0000:03:00.0"));
  EXPECT_TRUE(test::warned(survey->facts, "gpu-unreachable"));
}

TEST(Discover, KeepsGpusOfTheBusWhereNvmlCouldNotBeAsked) {
  const auto survey = discover_with({{"sysfs", std::vector<Fact>{gpu("sysfs", "0000:01:00.0")}},
                                     {"nvml", fail(Code::unavailable, "no library")}});
  ASSERT_TRUE(survey);
  EXPECT_THAT(gpus(*survey), testing::ElementsAre("sysfs 0000:01:00.0"));
}

TEST(Discover, NotesADeviceWithoutADriver) {
  PciFact device;
  device.pci = *PciAddress::parse("0000:01:00.0");
  device.pci_vendor = 0x10de;
  const auto survey = discover_with({{"sysfs", std::vector<Fact>{{{"sysfs", {}, 0}, "h", device}}},
                                     {"nvml", fail(Code::unavailable, "no driver")}});
  ASSERT_TRUE(survey);
  EXPECT_TRUE(gpus(*survey).empty());
  EXPECT_TRUE(test::warned(survey->facts, "gpu-without-driver"));
}

TEST(Discover, LeavesFilesAlone) {
  const auto survey = discover_with({{"nccl-xml", std::vector<Fact>{gpu("nccl-xml", "0000:01:00.0")}},
                                     {"nvml", std::vector<Fact>{gpu("nvml", "0000:02:00.0")}}});
  ASSERT_TRUE(survey);
  EXPECT_EQ(gpus(*survey).size(), 2U);
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
