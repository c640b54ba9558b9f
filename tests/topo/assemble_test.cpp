// SPDX-License-Identifier: Apache-2.0
#include "topo/assemble.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/topo/facts.h"
#include "topo/synthetic.h"
#include "topo/topology_json.h"

namespace topolaunch::topo {
namespace {

using ::testing::HasSubstr;

TEST(Assemble, MergesOneGpuOfTwoSourcesOnItsFullPciAddress) {
  auto by_nvml = gpu_at("0000:18:00.0");
  by_nvml.uuid = "GPU-1";
  const auto topology = assembled({fact(kHwloc, numa_node(0, "0-3")),
                                   fact(kNvml, by_nvml), fact(kHwloc, gpu_at("0000:18:00.0", 0))});
  ASSERT_EQ(topology.hosts.size(), 1U);
  ASSERT_EQ(topology.hosts[0].gpus.size(), 1U);
  EXPECT_EQ(topology.hosts[0].gpus[0].uuid, "GPU-1");
  EXPECT_EQ(topology.hosts[0].gpus[0].numa, 0);
  EXPECT_EQ(topology.hosts[0].gpus[0].origins.size(), 2U);
}

TEST(Assemble, KeepsApartGpusThatDifferInTheDomainAlone) {
  const auto topology =
      assembled({fact(kNvml, gpu_at("0000:01:00.0")), fact(kNvml, gpu_at("0001:01:00.0")),
                 fact(kNvml, gpu_at("10000:01:00.0")), fact(kNvml, gpu_at("20000:01:00.0"))});
  ASSERT_EQ(topology.hosts[0].gpus.size(), 4U);
  EXPECT_EQ(topology.hosts[0].gpus[2].pci->domain, 0x10000U);
}

TEST(Assemble, KeepsBothOriginsOfAConflict) {
  const auto topology =
      assembled({fact(kHwloc, numa_node(0, "0-3")), fact(kHwloc, numa_node(1, "4-7")),
                 fact(kNccl, gpu_at("0000:18:00.0", 1)), fact(kHwloc, gpu_at("0000:18:00.0", 0))});
  EXPECT_EQ(topology.hosts[0].gpus[0].numa, 0);  // the kernel, not the file
  EXPECT_EQ(count_of(topology, "numa-conflict"), 1);
  const auto message = message_of(topology, "numa-conflict");
  EXPECT_THAT(message, HasSubstr("0000:18:00.0"));
  EXPECT_THAT(message, HasSubstr("hwloc"));
  EXPECT_THAT(message, HasSubstr("nccl-xml topo.xml:12"));
}

TEST(Assemble, OneDescriptionWithoutANameServesEveryHostThatTheSwitchesName) {
  SwitchFact leaf;
  leaf.name = "leaf";
  leaf.hosts = {"a", "b", "c"};
  const auto topology = assembled({fact(kNccl, gpu_at("0000:18:00.0"), ""),
                                   fact(Origin{"slurm", "t.conf", 1}, leaf, "")});
  ASSERT_EQ(topology.hosts.size(), 3U);
  EXPECT_EQ(topology.hosts[2].name, "c");
  EXPECT_EQ(topology.hosts[2].gpus.size(), 1U);
  EXPECT_EQ(topology.fabric.leaf_of_host, (std::vector<int>{0, 0, 0}));
}

TEST(Assemble, CallsAMachineWithoutANameHost0) {
  const auto topology = assembled({fact(kNccl, gpu_at("0000:18:00.0"), "")});
  EXPECT_EQ(topology.hosts.at(0).name, "host0");
}

TEST(Assemble, MakesNothingOfNothing) {
  const auto topology = assembled({});
  EXPECT_TRUE(topology.hosts.empty());
  EXPECT_TRUE(topology.fabric.empty());
}

TEST(Assemble, PutsTogetherAgainWhatFactsOfTookApart) {
  for (const char* spec : {"16 host, 8 gpu h100 nvswitch, 8 nic ndr, 4 host/leaf, 4:1", "8 v100",
                           "36 host gb200 4 ndr", "3 hosts 16 cores 2 threads"}) {
    Survey survey;
    survey.facts = synthetic_facts(*parse_synthetic(spec));
    const auto topology = *assemble(std::move(survey));
    auto again = assembled(facts_of(topology, Origin{"synthetic", "", 0}));
    EXPECT_EQ(to_line(to_json(again)), to_line(to_json(topology))) << spec;
  }
}

TEST(Assemble, SaysAWarningThatAFileCarriesOnce) {
  Warning warning{"numa-same-cpus", Warning::Severity::warning, "old.xml", 3,
                  "n1: NUMA nodes 0 and 1 both have CPUs 0-3"};
  const auto topology =
      assembled({fact(kHwloc, numa_node(0, "0-3")), fact(kHwloc, numa_node(1, "0-3")),
                 fact(kHwloc, WarningFact{warning}, "")});
  ASSERT_EQ(count_of(topology, "numa-same-cpus"), 1);
  EXPECT_EQ(topology.warnings[0].file, "old.xml");
}

}  // namespace
}  // namespace topolaunch::topo
