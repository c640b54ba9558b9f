// SPDX-License-Identifier: Apache-2.0
#include "launcher/make_plan.h"

#include <gmock/gmock.h>

#include "mapping/parallel.h"
#include "mapping/patterns.h"
#include "tests/launcher/example_host.h"

namespace topolaunch::launcher {
namespace {

/// Ranks on these GPUs of one host, each with two CPUs of its GPU's node.
struct Scene {
  topo::Topology topology;
  mapping::RankGraph graph;
  mapping::Solution solution;
  Environment environment;
  RunOptions options;

  explicit Scene(const std::vector<int>& gpus) {
    topology.hosts = {example_host(4)};
    graph = mapping::world_allreduce(static_cast<int>(gpus.size()));
    for (std::size_t r = 0; r < gpus.size(); ++r) {
      mapping::RankPlace place;
      place.rank = place.local_rank = static_cast<int>(r);
      place.seat = {0, gpus[r], gpus[r]};
      place.affinity.numa = gpus[r] / 2;
      place.affinity.cpus = CpuSet{2 * gpus[r], 2 * gpus[r] + 1};
      solution.placement.push_back(place);
    }
    options.command = {"x"};
  }
  Plan plan() const {
    const VisibleGpus visible = visible_gpus(topology.hosts.front(), environment);
    return make_plan({topology, graph, solution, visible, environment, options,
                      EngineChoice{"local", "one host"}, "id", "/bin/x", "/", "127.0.0.1", 29500, {}});
  }
};

TEST(MakePlan, PermutesTheDevicesForAllRanksAlike) {
  const Plan plan = Scene({2, 0, 3, 1}).plan();
  ASSERT_EQ(plan.ranks.size(), 4U);
  for (const RankPlan& rank : plan.ranks) {
    EXPECT_EQ(rank.environment.at("CUDA_VISIBLE_DEVICES"), "2,0,3,1");
    EXPECT_EQ(rank.environment.at("CUDA_DEVICE_ORDER"), "PCI_BUS_ID");
    EXPECT_EQ(rank.environment.at("LOCAL_WORLD_SIZE"), "4");
  }
  EXPECT_EQ(plan.ranks[0].gpu_pci, "0000:12:00.0");
}

TEST(MakePlan, RanksThatShareGpusAreInGroupsWithoutSharing) {
  const Plan plan = Scene({3, 1, 3, 1, 3}).plan();
  std::vector<std::string> told;
  for (const RankPlan& rank : plan.ranks) {
    const auto& e = rank.environment;
    told.push_back(e.at("RANK") + ": " + e.at("LOCAL_RANK") + "/" + e.at("LOCAL_WORLD_SIZE") + " " +
                   e.at("GROUP_RANK") + "/" + e.at("GROUP_WORLD_SIZE") + " " +
                   e.at("CUDA_VISIBLE_DEVICES"));
    EXPECT_EQ(e.at("NODE_RANK"), e.at("GROUP_RANK"));
  }
  EXPECT_THAT(told, testing::ElementsAre("0: 0/2 0/3 3,1,0,2", "1: 1/2 0/3 3,1,0,2",
                                         "2: 0/2 1/3 3,1,0,2", "3: 1/2 1/3 3,1,0,2",
                                         "4: 0/1 2/3 3,0,1,2"));
  EXPECT_EQ(plan.hosts, std::vector<std::string>{"box"});
}

TEST(MakePlan, NamesTheInstanceOfAGpuInMigMode) {
  Scene scene({0, 0});
  scene.topology.hosts[0].gpus[0].mig_enabled = true;
  scene.topology.hosts[0].gpus[0].mig = {{"MIG-a", "1g.5gb", Bytes(0)}, {"MIG-b", "1g.5gb", Bytes(0)}};
  const Plan plan = scene.plan();
  EXPECT_EQ(plan.ranks[1].gpu_instance, "MIG-b");
  EXPECT_EQ(plan.ranks[1].gpu_uuid, scene.topology.hosts[0].gpus[0].uuid);
  EXPECT_EQ(plan.ranks[1].environment.at("CUDA_VISIBLE_DEVICES"), "MIG-b");
  EXPECT_EQ(plan.ranks[1].environment.at("TOPOLAUNCH_GPU_INSTANCE"), "MIG-b");
  EXPECT_FALSE(plan.ranks[1].environment.contains("CUDA_DEVICE_ORDER"));
}

TEST(MakePlan, KeepsTheGivenEntriesThatRanksDoNotUse) {
  Scene scene({3});
  scene.environment.set("CUDA_VISIBLE_DEVICES", "1,3");
  EXPECT_EQ(scene.plan().ranks[0].environment.at("CUDA_VISIBLE_DEVICES"), "3,1");
}

TEST(MakePlan, GivesThreadsByCoresOfTheShare) {
  EXPECT_EQ(Scene({0, 1}).plan().ranks[0].environment.at("OMP_NUM_THREADS"), "1");
  EXPECT_FALSE(Scene({0}).plan().ranks[0].environment.contains("OMP_NUM_THREADS"))
      << "one rank may use all that it is bound to, as with torchrun";
}

TEST(MakePlan, TellsCoordinates) {
  Scene scene({0, 1, 2, 3});
  scene.graph = *mapping::graph_from_parallel("tp=2,dp=2", "", "");
  const Plan plan = scene.plan();
  EXPECT_EQ(plan.ranks[3].environment.at("TOPOLAUNCH_TP_RANK"), "1");
  EXPECT_EQ(plan.ranks[3].environment.at("TOPOLAUNCH_DP_RANK"), "1");
  EXPECT_EQ(plan.ranks[2].environment.at("TOPOLAUNCH_TP_RANK"), "0");
  EXPECT_EQ(plan.ranks[2].environment.at("TOPOLAUNCH_TP_SIZE"), "2");
}

TEST(MakePlan, TakesSecretsOut) {
  Scene scene({0});
  scene.environment.set("TOPOLAUNCH_QUOTA_TOKEN_FILE", "/secret");
  EXPECT_THAT(scene.plan().unset, testing::ElementsAre("TOPOLAUNCH_QUOTA_TOKEN_FILE"));
}

TEST(ThreadsFor, CountsCoresAndShares) {
  const topo::Host host = example_host(0);
  EXPECT_EQ(threads_for(host, CpuSet{0, 1, 2, 3}, 1), 2);
  EXPECT_EQ(threads_for(host, CpuSet{0, 1, 2, 3}, 4), 1) << "never none";
  EXPECT_EQ(threads_for(host, CpuSet{100, 101}, 1), 2) << "cores not known: each CPU is one";
  EXPECT_EQ(threads_for(host, CpuSet{}, 1), 0);
}

}  // namespace
}  // namespace topolaunch::launcher
