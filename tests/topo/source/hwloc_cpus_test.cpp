// SPDX-License-Identifier: Apache-2.0
#include "topo/source/hwloc_cpus.h"

#include <map>

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

TEST(HwlocCpus, KeepsNodesWithoutCpusAndWhoseMemoryTheyAre) {
  const auto facts = facts_of_file(machine("gb200-4"));
  ASSERT_TRUE(facts) << facts.error().text();
  std::map<int, NumaNode> nodes;
  for (const auto& numa : all<NumaFact>(*facts)) nodes[numa.node.id] = numa.node;
  ASSERT_EQ(nodes.size(), 6U);
  EXPECT_EQ(nodes.at(0).cpus.to_list(), "0-7");
  EXPECT_EQ(nodes.at(1).cpus.to_list(), "8-15");
  for (const int id : {2, 10, 18, 26}) EXPECT_TRUE(nodes.at(id).cpus.empty()) << id;
  for (const auto& gpu : all<GpuFact>(*facts)) {
    EXPECT_TRUE(gpu.memory_numa);
    EXPECT_TRUE(gpu.numa == 0 || gpu.numa == 1);
  }
  EXPECT_EQ(all<HostFact>(*facts).at(0).memory, Bytes::gib(960));  // without the GPUs'
}

}  // namespace
}  // namespace topolaunch::topo
