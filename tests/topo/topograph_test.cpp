// SPDX-License-Identifier: Apache-2.0
#include "topo/topograph.h"

#include <gmock/gmock.h>

#include "tests/topo/facts.h"

namespace topolaunch::topo {
namespace {

Result<std::vector<Fact>> facts(const std::string& text) {
  return facts_from_json(GivenText{text, text, "graph.json", "", ""});
}

TEST(Topograph, PutsTheFirstLayerAtTheBottom) {
  const auto topology = assembled(*facts(
      R"({"instances": [{"id": "n1", "network_layers": ["leaf-1", "spine", "core"], "labels": {}},
                        {"id": "n2", "network_layers": ["leaf-2", "spine", "core"]},
                        {"id": "n3", "network_layers": []}]})"));
  ASSERT_EQ(topology.hosts.size(), 3U);
  EXPECT_EQ(topology.fabric.switches.at(0).name, "leaf-1");
  EXPECT_EQ(topology.fabric.switches.at(0).parent, 1);
  EXPECT_EQ(topology.fabric.leaf_of_host[2], -1);
}

TEST(Topograph, RefusesAnInstanceWithoutId) {
  EXPECT_EQ(facts(R"({"instances": [{"id": "a"}, {}]})").error().message, "instances[1] has no id");
}

}  // namespace
}  // namespace topolaunch::topo
