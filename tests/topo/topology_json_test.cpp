// SPDX-License-Identifier: Apache-2.0
#include "topo/topology_json.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/commands.h"
#include "tests/topo/facts.h"
#include "topo/synthetic.h"
#include "topo/tree_spec.h"

namespace topolaunch::topo {
namespace {

using ::testing::HasSubstr;

Topology synthetic(const char* spec) {
  Survey survey;
  survey.facts = synthetic_facts(*parse_synthetic(spec));
  survey.entries.push_back({"synthetic", "", SurveyEntry::Status::ok, "seen"});
  survey.entries.push_back({"nvml", "n1", SurveyEntry::Status::unavailable, "no library"});
  return *assemble(std::move(survey));
}

/// One of everything that the model can hold.
Topology everything() {
  auto topology = synthetic("4 host, 4 gb200, 4 efa, 2 host/leaf, 2:1");
  Host& host = topology.hosts[0];
  host.cpu_vendor = "GenuineIntel";
  host.cpu_family = 6;
  host.cpu_model = 143;
  host.slots = 3;
  host.boot_id = "abc";
  host.cpu_quota = 2.5;
  host.allowed_cpus = cpus("1-3");
  host.p2p.assign(4, std::vector<P2pStatus>(4, P2pStatus::not_supported));
  Gpu& gpu = host.gpus[1];
  gpu.uuid = "GPU-1";
  gpu.mig_enabled = true;
  gpu.mig.push_back({"MIG-1", "1g.10gb", Bytes::gib(10)});
  gpu.affinity = cpus("0-71");
  gpu.links[0].inactive = 2;
  gpu.fabric_pending = true;
  gpu.pci = pci("10000:01:00.0");
  host.nics[0].netdev = "ens1";
  host.nics[0].up = false;
  host.nics[0].guid = "0x12";
  topology.fabric.distances = {1, 10, 100};
  topology.fabric.host_rate = Bandwidth::gigabits_per_second(10);
  topology.warnings.push_back({"x", Warning::Severity::note, "f.xml", 3, "said \"so\""});
  topology.live = true;
  return topology;
}

Result<Topology> back(const std::string& text) {
  auto json = parse_json(text, "t.json");
  if (!json) return tl::unexpected(json.error());
  return topology_from_json(*json, "t.json");
}

TEST(TopologyJson, ReadsBackEverythingThatItWrites) {
  for (const auto& topology : {everything(), synthetic("8 v100"), synthetic("2 host"), Topology()}) {
    const auto text = to_line(to_json(topology));
    const auto again = back(text);
    ASSERT_TRUE(again.has_value()) << again.error().text();
    EXPECT_EQ(to_line(to_json(*again)), text);
  }
}

TEST(TopologyJson, HasTheNamesOfTheContract) {
  const auto json = to_json(everything());
  const auto& host = json["hosts"][0];
  EXPECT_EQ(json["schema"], "topolaunch.topo/1");
  for (const char* name : {"name", "gpus", "nics", "numa"}) EXPECT_TRUE(host.contains(name)) << name;
  for (const char* name : {"index", "uuid", "pci", "model", "numa", "links"}) {
    EXPECT_TRUE(host["gpus"][0].contains(name)) << name;
  }
  for (const char* name : {"to", "type", "count", "bytes_per_second"}) {
    EXPECT_TRUE(host["gpus"][0]["links"][0].contains(name)) << name;
  }
  for (const char* name : {"name", "pci", "numa", "bytes_per_second"}) {
    EXPECT_TRUE(host["nics"][0].contains(name)) << name;
  }
  for (const char* name : {"id", "cpus", "memory"}) EXPECT_TRUE(host["numa"][0].contains(name));
  for (const char* name : {"levels", "switches"}) EXPECT_TRUE(json["fabric"].contains(name));
  for (const char* name : {"source", "status", "why"}) EXPECT_TRUE(json["survey"][0].contains(name));
  for (const char* name : {"code", "severity", "file", "line", "message"}) {
    EXPECT_TRUE(json["warnings"][0].contains(name)) << name;
  }
  EXPECT_EQ(host["gpus"][1]["pci"], "10000:01:00.0");
}

TEST(TopologyJson, RefusesAnotherSchema) {
  EXPECT_THAT(back("{}").error().message, HasSubstr("no \"schema\""));
  EXPECT_THAT(back(R"({"schema": "topolaunch.plan/1"})").error().message, HasSubstr("plan/1"));
}

struct Broken {
  const char* from;
  const char* to;
  const char* says;
};
const std::vector<Broken> kBroken{
    {"\"name\":\"host0\"", "\"name\":\"\"", "hosts[0].name is missing"},
    {"\"name\":\"host1\"", "\"name\":\"host0\"", "name of another host too"},
    {"\"pci\":\"10000:01:00.0\"", "\"pci\":\"banana\"", "hosts[0].gpus[1].pci 'banana'"},
    {"\"numa\":0", "\"numa\":-1", "hosts[0].gpus[0].numa is not an integer"},
    {"\"numa\":0", "\"numa\":1e300", "is not an integer"},
    {"\"numa\":0", "\"numa\":\"0\"", "is not an integer"},
    {"\"index\":1", "\"index\":7", "hosts[0].gpus[1].index is not 1"},
    {"\"to\":\"nvswitch\"", "\"to\":\"gpu\"", "peer is not the index of another GPU"},
    {"\"to\":\"nvswitch\"", "\"to\":\"moon\"", "'moon' is no word"},
    {"\"cpus\":\"0-143\"", "\"cpus\":\"3-x\"", "is not a CPU list"},
    {"\"count\":18", "\"count\":-18", "is not an integer"},
    {"\"memory\":198674743296", "\"memory\":-5", "memory"},
    {"\"parent\":\"spine0\"", "\"parent\":\"leaf1\"", "is not of a higher level"},
    {"\"parent\":\"spine0\"", "\"parent\":\"none\"", "is no switch of the list"},
    {"\"hosts\":[\"host0\",\"host1\"]", "\"hosts\":[\"ghost\"]", "names a host that isn't in hosts"},
    {"\"p2p\":[[", "\"p2p\":[[\"ok\",", "is not a 4 x 4 matrix"},
    {"\"mig_enabled\":true", "\"mig_enabled\":1", "is not true or false"},
    {"\"distances\":[1.0", "\"distances\":[-1.0", "no distance"},
};

TEST(TopologyJson, NamesTheMemberThatIsWrong) {
  const auto text = to_line(to_json(everything()));
  for (const auto& broken : kBroken) {
    const auto at = text.find(broken.from);
    ASSERT_NE(at, std::string::npos) << broken.from;
    auto changed = text;
    changed.replace(at, std::string(broken.from).size(), broken.to);
    const auto result = back(changed);
    ASSERT_FALSE(result.has_value()) << broken.to;
    EXPECT_EQ(result.error().code, Code::invalid_input);
    EXPECT_EQ(result.error().file, "t.json");
    EXPECT_THAT(result.error().message, HasSubstr(broken.says)) << broken.to;
  }
}

TEST(TopologyJson, SurvivesAnyValueInTheWrongPlace) {
  const auto json = to_json(everything());
  const std::vector<Json> values{nullptr, true, -1, 1e18, "x", Json::array(), Json::object(),
                                 Json::array({1, "a", nullptr})};
  const auto flat = json.flatten();
  for (const auto& [pointer, unused] : flat.items()) {
    for (const auto& value : values) {
      auto changed = json;
      changed[Json::json_pointer(pointer)] = value;
      (void)topology_from_json(changed, "t.json");  // must come back, with whatever answer
    }
  }
}

TEST(TopologyJson, IsWhatTheSchemaDescribes) {
  const char* source = std::getenv("TOPOLAUNCH_SOURCE_DIR");
  if (source == nullptr) GTEST_SKIP() << "TOPOLAUNCH_SOURCE_DIR is not set (run by ctest)";
  const std::string folder =
      (std::filesystem::temp_directory_path() / ("topo-schema-" + std::to_string(getpid()))).string();
  std::filesystem::create_directories(folder);
  Survey tree;
  tree.facts = tree_facts(*parse_tree("8:4:2", {}));
  const std::vector<Topology> topologies{everything(), synthetic("8 v100, 4 nic"), Topology(),
                                         *assemble(std::move(tree))};
  std::vector<std::string> argv{"python3", std::string(source) + "/tests/topo/schema_check.py",
                                std::string(source) + "/docs/schema/topo.schema.json"};
  for (const auto& topology : topologies) {
    argv.push_back(folder + "/" + std::to_string(argv.size()) + ".json");
    std::ofstream(argv.back()) << to_pretty(to_json(topology));
  }
  const auto checked = SystemCommands().run(argv, Seconds(60));
  // A file that must fail, so that the check is known to look.
  auto wrong = to_json(everything());
  wrong["hosts"][0]["gpus"][0]["links"][0]["count"] = "many";
  std::ofstream(folder + "/wrong.json") << to_pretty(wrong);
  const auto refused =
      SystemCommands().run({argv[0], argv[1], argv[2], folder + "/wrong.json"}, Seconds(60));
  std::filesystem::remove_all(folder);
  if (!checked || checked->status == 77) GTEST_SKIP() << "python3-jsonschema is not there";
  EXPECT_EQ(checked->status, 0) << checked->out << checked->err;
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->status, 1);
}

}  // namespace
}  // namespace topolaunch::topo
