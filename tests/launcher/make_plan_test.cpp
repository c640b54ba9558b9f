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
                      EngineChoice{"local", "one host"}, "id", "/bin/x", "/", "127.0.0.1", 29500});
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
