// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/hosts_topology.h"

#include <gmock/gmock.h>

#include "tests/launcher/example_host.h"
#include "topo/assemble.h"
#include "topo/slurm_conf.h"

namespace topolaunch::launcher {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

topo::Topology fabric(const std::string& conf) {
  topo::Survey survey;
  survey.facts = *topo::facts_from_topology_conf(conf, "topology.conf");
  return *topo::assemble(std::move(survey));
}

const std::string kTwoLeaves =
    "SwitchName=l0 Nodes=h[0-1]\nSwitchName=l1 Nodes=h[2-3]\nSwitchName=s Switches=l[0-1]\n";

std::vector<JobHost> named(const std::vector<std::string>& names) {
  std::vector<JobHost> hosts;
  for (const std::string& name : names) {
    hosts.emplace_back();
    hosts.back().name = name;
  }
  return hosts;
}

std::vector<std::optional<HostFacts>> facts_of(const std::vector<std::string>& own_names) {
  std::vector<std::optional<HostFacts>> facts;
  for (const std::string& name : own_names) {
    HostFacts one;
    one.host_name = name;
    one.topology.hosts = {example_host(0)};
    facts.emplace_back(std::move(one));
  }
  return facts;
}

std::vector<std::string> warned(const topo::Topology& topology) {
  std::vector<std::string> out;
  for (const topo::Warning& warning : topology.warnings) out.push_back(warning.message);
  return out;
}

TEST(HostsTopology, KeepsTheGivenOrderOnTheFabric) {
  const topo::Topology given = fabric(kTwoLeaves);
  const auto out = hosts_topology(named({"h2", "h0", "h3"}), facts_of({"h2", "h0", "h3"}), &given,
                                  "topology.conf");
  ASSERT_EQ(out.hosts.size(), 3U);
  EXPECT_EQ(out.hosts[0].name, "h2");
  EXPECT_FALSE(out.hosts[0].cpus.empty());
  const auto& leaf = out.fabric.leaf_of_host;
  ASSERT_EQ(leaf.size(), 3U);
  EXPECT_EQ(leaf[0], leaf[2]);
  EXPECT_NE(leaf[0], leaf[1]);
  EXPECT_TRUE(out.warnings.empty());
}

TEST(HostsTopology, SaysWhichHostsTheFabricDoesNotName) {
  const topo::Topology given = fabric(kTwoLeaves);
  const auto out = hosts_topology(named({"h1", "x"}), facts_of({"h1", "x"}), &given, "t.conf");
  EXPECT_EQ(out.fabric.leaf_of_host[1], -1);
  EXPECT_THAT(warned(out), ElementsAre("x: named by no switch of t.conf"));
}

TEST(HostsTopology, DoesNotAskForWhatTheTopologyDescribes) {
  topo::Topology given = fabric(kTwoLeaves);
  given.hosts[1] = example_host(4);
  given.hosts[1].name = "h1";
  std::vector<std::optional<HostFacts>> facts = facts_of({"h0", "h1"});
  facts[1].reset();
  const auto out = hosts_topology(named({"h0", "h1"}), facts, &given, "t.json");
  EXPECT_EQ(out.hosts[1].gpus.size(), 4U);
  EXPECT_THAT(warned(out), ElementsAre("h1: taken as t.json describes it, not asked"));
}

TEST(HostsTopology, SaysAWarningOfAllHostsOnce) {
  auto facts = facts_of({"a", "b"});
  for (auto& one : facts) one->topology.warnings = {{"x", {}, {}, 0, "half a GPU"}};
  const auto out = hosts_topology(named({"a", "b"}), facts, nullptr, "");
  EXPECT_THAT(warned(out), ElementsAre("a, b: half a GPU"));
}

TEST(HostIn, KnowsAHostByItsOtherNames) {
  topo::Topology given;
  for (const char* const name : {"h1", "h2.rack", "h3.a", "h3.b"}) {
    given.hosts.emplace_back();
    given.hosts.back().name = name;
  }
  EXPECT_EQ(host_in(given, "h1", ""), 0);
  EXPECT_EQ(host_in(given, "h1.cluster", ""), 0);
  EXPECT_EQ(host_in(given, "10.0.0.1", "h1"), 0);
  EXPECT_EQ(host_in(given, "h2", ""), 1);
  EXPECT_EQ(host_in(given, "h2.other", ""), -1) << "differs after the first dot";
  EXPECT_EQ(host_in(given, "h3", ""), -1) << "two could be meant";
  EXPECT_EQ(host_in(given, "h3", "h3.b"), 3);
}

}  // namespace
}  // namespace topolaunch::launcher
