// SPDX-License-Identifier: Apache-2.0
#include "topo/source/hwloc_xml.h"

#include <gmock/gmock.h>

#include <iterator>

#include "tests/topo/source/capture.h"
#include "topo/source/hwloc.h"

namespace topolaunch::topo {
namespace {

using test::all;

std::string machine(const std::string& name) {
  return std::string(MACHINE_SOURCE_DIR) + "/" + name + "/hwloc.xml";
}

Result<std::vector<Fact>> facts_of_file(const std::string& path) {
  return facts_from_hwloc_xml(test::read_text(path), path);
}

TEST(HwlocXml, KeepsDomainsOfMoreThan16Bits) {
  const auto facts = facts_of_file(machine("domains"));
  ASSERT_TRUE(facts) << facts.error().text();
  std::vector<std::string> found;
  for (const auto& gpu : all<GpuFact>(*facts)) found.push_back(gpu.pci->text());
  EXPECT_THAT(found, testing::UnorderedElementsAre("0000:02:00.0", "0001:02:00.0", "10000:02:00.0",
                                                   "10001:02:00.0"));
  for (const auto& gpu : all<GpuFact>(*facts)) {
    ASSERT_EQ(gpu.pcie_path.size(), 1U);
    EXPECT_EQ(gpu.pcie_path[0].domain, gpu.pci->domain);
  }
}

TEST(HwlocXml, SaysWhatIsWrongAndWhere) {
  const auto error_of = [](const std::string& text) {
    const auto facts = facts_from_hwloc_xml(text, "m.xml");
    EXPECT_FALSE(facts) << text.substr(0, 80);
    return facts ? Error{} : facts.error();
  };
  EXPECT_EQ(error_of("").code, Code::invalid_input);
  EXPECT_EQ(error_of("<system version=\"1\"/>").code, Code::invalid_input);
  EXPECT_EQ(error_of("<topology version=\"2.0\"/>").code, Code::invalid_input);
  const std::string whole = test::read_text(machine("none"));
  const auto cut = error_of(whole.substr(0, whole.size() / 2));
  EXPECT_EQ(cut.code, Code::invalid_input);
  EXPECT_EQ(cut.file, "m.xml");
  EXPECT_GT(cut.line, 10);
  EXPECT_FALSE(cut.next.empty());
  EXPECT_EQ(error_of("<topology version=\"2.0\"><object type=\"Machine\"/></topology>").code,
            Code::invalid_input);
}

TEST(HwlocXml, IsNotHeldUpByHostileText) {
  std::string deep = "<topology version=\"2.0\">";
  for (int i = 0; i < 100000; ++i) deep += "<object type=\"Group\">";
  EXPECT_FALSE(facts_from_hwloc_xml(deep, "deep.xml"));
  for (int i = 0; i < 100000; ++i) deep += "</object>";
  EXPECT_FALSE(facts_from_hwloc_xml(deep + "</topology>", "deep.xml"));
  std::string bomb = "<!DOCTYPE t [<!ENTITY a \"aaaaaaaaaa\">";
  for (char c = 'b'; c < 'j'; ++c) {
    bomb += std::string("<!ENTITY ") + c + " \"";
    for (int i = 0; i < 10; ++i) bomb += std::string("&") + static_cast<char>(c - 1) + ";";
    bomb += "\">";
  }
  bomb += "]>";
  std::string text = test::read_text(machine("none"));
  text.replace(text.find("<!DOCTYPE"), text.find('>', text.find("<!DOCTYPE")) + 1 - text.find("<!DOCTYPE"), bomb);
  text.replace(text.find("GenuineIntel"), 12, "&i;");
  const auto facts = facts_from_hwloc_xml(text, "bomb.xml");  // the entity stays a word
  if (facts) {
    EXPECT_LT(all<HostFact>(*facts).at(0).cpu_vendor.size(), 100U);
  }
}


/// The text of `machine` with the first `old` after `behind` as `now`.
std::string changed(const std::string& behind, const std::string& old, const std::string& now) {
  std::string text = test::read_text(machine("domains"));
  const auto at = text.find(old, text.find(behind));
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), now);
}

TEST(HwlocXml, AnObjectWithoutItsSetsIsRefusedAndMissingCompleteOnesAreMadeUp) {
  // hwloc 2.9.0 crashes on each of them.
  for (const char* name : {"complete_cpuset", "complete_nodeset"}) {
    const auto facts = facts_from_hwloc_xml(changed("type=\"PU\"", name, "x"), "m.xml");
    EXPECT_TRUE(facts) << name << ": " << facts.error().text();
  }
  for (const char* name : {" cpuset", " nodeset"}) {
    const auto facts = facts_from_hwloc_xml(changed("type=\"PU\"", name, " x"), "m.xml");
    ASSERT_FALSE(facts) << name;
    EXPECT_EQ(facts.error().message, std::string("the PU has no \"") + (name + 1) + "\"");
    EXPECT_GT(facts.error().line, 1);
  }
}

TEST(HwlocXml, SetsThatAreNoneAreRefused) {
  // hwloc 2.9.0 aborts on words without a comma between them.
  for (const char* set : {"0x1 0x2", "0x02<0", "0x", "0x123456789", "0xf...f0x1", "-1", "0x1;0x2"}) {
    const auto facts = facts_from_hwloc_xml(
        changed("type=\"PU\"", " cpuset=\"", std::string(" cpuset=\"") + set + "\" x=\""), "m.xml");
    ASSERT_FALSE(facts) << set;
    EXPECT_NE(facts.error().message.find("\"cpuset\" is no set of numbers"), std::string::npos) << facts.error().message;
  }
  for (const char* set : {"0xf...f", "0xf...f,0x1", "0x1,,0x0", "1"}) {
    const auto facts = facts_from_hwloc_xml(
        changed("type=\"PU\"", "complete_cpuset=\"", std::string("complete_cpuset=\"") + set + "\" x=\""), "m.xml");
    EXPECT_TRUE(facts || facts.error().message.find("is no set") == std::string::npos) << set;
  }
}

TEST(HwlocXml, ABridgeBetweenWhatThereIsNotIsRefused) {
  const auto facts = facts_from_hwloc_xml(changed("type=\"Bridge\"", "bridge_type=\"", "bridge_type=\"2-1\" x=\""), "m.xml");
  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().message, "\"bridge_type\" is neither 0-1 nor 1-1: '2-1'");
}

TEST(HwlocXml, NumbersBeyondAnyMachineAreRefusedBeforeMemoryIsTakenForThem) {
  for (const char* number : {"-1", "4294967295", "99999999"}) {
    for (const std::string type : {"PU", "NUMANode"}) {
      const auto facts = facts_from_hwloc_xml(
          changed("type=\"" + type + "\"", "os_index=\"", std::string("os_index=\"") + number + "\" x=\""), "m.xml");
      ASSERT_FALSE(facts) << type << number;
      EXPECT_NE(facts.error().message.find("the " + type + " has the number " + number), std::string::npos)
          << facts.error().message;
    }
  }
  const auto without = facts_from_hwloc_xml(changed("type=\"NUMANode\"", "os_index", "x"), "m.xml");
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().message, "the NUMANode has no \"os_index\"");
}

TEST(HwlocXml, SurvivesChangesInAnyByte) {
  const std::string whole = test::read_text(machine("domains"));
  unsigned seed = 1;
  const auto random = [&seed](std::size_t limit) {
    seed = seed * 1664525U + 1013904223U;
    return static_cast<std::size_t>(seed >> 8) % limit;
  };
  const char* const kPieces[] = {"0", "-1", "\"", "<", "99999999", "0x0", "PU", "0xf...f", " "};
  int read_well = 0;
  for (int round = 0; round < 60; ++round) {
    std::string text = whole;
    for (int change = 0; change < 3; ++change) {
      const std::string piece = kPieces[random(std::size(kPieces))];
      const std::size_t at = random(text.size() - 20);  // compilers differ in which argument comes first
      text.replace(at, random(6), piece);
    }
    read_well += facts_from_hwloc_xml(text, "fuzz.xml") ? 1 : 0;
  }
  EXPECT_LT(read_well, 60);
}

}  // namespace
}  // namespace topolaunch::topo
