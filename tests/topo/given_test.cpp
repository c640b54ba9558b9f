// SPDX-License-Identifier: Apache-2.0
#include "topo/given.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/topo/facts.h"
#include "tests/topo/memory_files.h"
#include "topo/topology_json.h"

namespace topolaunch::topo {
namespace {

using ::testing::HasSubstr;

const std::string kNcclFile =
    "<!-- c --><system><cpu numaid=\"0\" affinity=\"f\" arch=\"x86_64\">"
    "<pci busid=\"18:00.0\" class=\"0x030200\"/></cpu></system>";

Result<Topology> given(const std::vector<std::string>& arguments,
                       std::map<std::string, std::string, std::less<>> files,
                       const std::string& host = {}) {
  const MemoryOutside world(std::move(files));
  auto sources = given_sources(arguments, {}, world.outside(), host);
  if (!sources) return tl::unexpected(sources.error());
  auto survey = discover(*sources, world.outside());
  if (!survey) return tl::unexpected(survey.error());
  return assemble(std::move(*survey));
}

Error refused(const std::string& content) {
  const auto topology = given({"f"}, {{"f", content}});
  return topology ? Error{Code::internal, "was not refused", "", "", 0} : topology.error();
}

TEST(Given, ReadsStandardInputByADash) {
  const auto topology = given({"-"}, {{"/dev/stdin", kNcclFile}});
  ASSERT_TRUE(topology) << topology.error().text();
  EXPECT_EQ(topology->hosts.at(0).gpus.size(), 1U);
}

TEST(Given, RefusesEachBadFileInOneClearLine) {
  EXPECT_THAT(refused("").message, HasSubstr("empty"));
  EXPECT_THAT(refused(" \n ").message, HasSubstr("empty"));
  EXPECT_THAT(refused(std::string("\x7f\x45LF\0\1", 6)).message, HasSubstr("binary"));
  EXPECT_THAT(refused("hello").next, HasSubstr("NCCL topology XML"));
  EXPECT_THAT(refused("0,9\n9,0\n").message, HasSubstr("names no hosts"));
  EXPECT_THAT(refused("<html></html>").message, HasSubstr("<html>"));
  EXPECT_THAT(refused("<!-- only").message, HasSubstr("cut off"));
  EXPECT_THAT(refused("<graphs/>").message, HasSubstr("graph file"));
  EXPECT_THAT(refused("{\"schema\": \"topolaunch.topo/1\",").message, HasSubstr("JSON"));
  EXPECT_THAT(refused("{\"Other\": []}").message, HasSubstr("schema"));
  EXPECT_THAT(refused(kNcclFile.substr(0, 80)).message, HasSubstr("cut off"));
  EXPECT_THAT(refused("<topology version=\"2.0\"><object").message, HasSubstr("cut off"));
  for (const char* text : {"", "x", "<a/>", "{", "<system/>", "<topology/>"}) {
    const auto error = refused(text);
    EXPECT_EQ(error.code, Code::invalid_input) << text;
    EXPECT_EQ(error.file, "f") << text;
    EXPECT_EQ(error.text().find('\n'), std::string::npos) << text;
  }
}

TEST(Given, SaysThatAFileIsNotThereAsInputNotAsCommand) {
  const auto error = given({"missing.xml"}, {}).error();
  EXPECT_EQ(error.code, Code::invalid_input);
  EXPECT_EQ(error.file, "missing.xml");
}

TEST(Given, NamesTheMachineOfAFileThatDoesNot) {
  EXPECT_EQ(given({"f"}, {{"f", kNcclFile}}, "n7")->hosts.at(0).name, "n7");
  EXPECT_EQ(given({"f"}, {{"f", kNcclFile}})->hosts.at(0).name, "host0");
}

TEST(Given, PutsAMachineFileAndASwitchFileTogether) {
  const auto topology =
      *given({"m", "s"}, {{"m", kNcclFile}, {"s", "SwitchName=l Nodes=g[1-3]\n"}});
  ASSERT_EQ(topology.hosts.size(), 3U);
  EXPECT_EQ(topology.hosts[2].name, "g3");
  EXPECT_EQ(topology.hosts[2].gpus.size(), 1U);
  ASSERT_EQ(topology.survey.size(), 2U);
  EXPECT_EQ(topology.survey[0].source, "nccl-xml m");
}

TEST(Given, TakesSpecs) {
  EXPECT_EQ(given({"synthetic:3 host, 2 core"}, {})->hosts.size(), 3U);
  EXPECT_EQ(given({"tree:2:3"}, {})->hosts.size(), 3U);
  EXPECT_EQ(given({"synthetic:x"}, {}).error().code, Code::wrong_usage);
  EXPECT_EQ(given({"tree:x"}, {}).error().code, Code::wrong_usage);
}

TEST(Given, RefusesDistancesOfATreeThatIsNotThere) {
  const MemoryOutside world(std::map<std::string, std::string, std::less<>>{});
  EXPECT_TRUE(given_sources({"tree:2:3"}, {1, 10}, world.outside()));
  const auto sources = given_sources({"synthetic:3 host, 2 core"}, {1, 10}, world.outside());
  ASSERT_FALSE(sources);
  EXPECT_EQ(sources.error().code, Code::wrong_usage);
}

TEST(Given, ReadsItsOwnJsonAgainUnchanged) {
  const auto first = *given({"synthetic:4 host, 8 h100, 8 ndr, 2 host/leaf"}, {});
  const auto second = *given({"f"}, {{"f", to_pretty(to_json(first))}});
  auto a = to_json(first);
  auto b = to_json(second);
  for (auto* json : {&a, &b}) {  // where it comes from is another matter
    json->erase("survey");
    for (auto& host : (*json)["hosts"]) {
      for (auto& gpu : host["gpus"]) gpu.erase("origins");
      for (auto& nic : host["nics"]) nic.erase("origins");
    }
  }
  EXPECT_EQ(to_line(a), to_line(b));
}

TEST(Given, TellsWholeFilesFromAllElse) {
  const MemoryFiles files({{"/a.conf", "x"}, {"/b#c", "x"}, {"/m/sys/devices/system/cpu", ""}});
  EXPECT_TRUE(is_whole_file("/a.conf", files));
  EXPECT_TRUE(is_whole_file("/b#c", files));
  EXPECT_TRUE(is_whole_file("/not-there", files));
  for (const char* other : {"/a.conf#tree1", "synthetic:8 h100", "tree:2:2", "slurm:", "ec2:i-1", "/m"}) {
    EXPECT_FALSE(is_whole_file(other, files)) << other;
  }
}

}  // namespace
}  // namespace topolaunch::topo
