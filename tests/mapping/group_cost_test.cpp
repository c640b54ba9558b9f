// SPDX-License-Identifier: Apache-2.0
#include "mapping/group_cost.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "mapping/cost.h"
#include "mapping/parallel.h"
#include "mapping/patterns.h"
#include "tests/mapping/machines.h"

namespace topolaunch::mapping {
namespace {

using namespace testing;
using ::testing::ElementsAre;

/// Every rank's GPU, host after host.
std::vector<Seat> in_order(const topo::Topology& topology) {
  std::vector<Seat> seats;
  for (int h = 0; h < count_of(topology.hosts); ++h)
    for (int g = 0; g < count_of(topology.hosts[ix(h)].gpus); ++g) seats.push_back({h, g, g});
  return seats;
}

/// Racks of `hosts` hosts with four GPUs each in one NVLink domain, one NIC a GPU.
topo::Topology racks(int domains, int hosts) {
  topo::Topology topology;
  for (int h = 0; h < domains * hosts; ++h) {
    auto host = nvswitch_host(fmt::format("host{}", h), 4, 100);
    for (auto& gpu : host.gpus)
      gpu.fabric_cluster = fmt::format("rack-{}", h / hosts), gpu.fabric_clique = 1;
    topology.hosts.push_back(std::move(host));
  }
  return topology;
}

/// The same GPUs and NICs, each domain in one large host.
topo::Topology large_hosts(int domains, int gpus) {
  topo::Topology topology;
  for (int d = 0; d < domains; ++d)
    topology.hosts.push_back(nvswitch_host(fmt::format("host{}", d), gpus, 100));
  return topology;
}

double seconds(const topo::Topology& topology, const RankGraph& graph) {
  return evaluate(topology, graph, in_order(topology)).seconds.count();
}

TEST(GroupCost, HostsOfAnNvlinkDomainCostWhatOneLargeHostCosts) {
  for (const int domains : {1, 2}) {
    const int ranks = 16 * domains;
    const auto rack = racks(domains, 4), whole = large_hosts(domains, 16);
    for (const char* collective : {"allreduce", "allgather", "alltoall", "reduce-scatter"}) {
      const auto graph = graph_from_pattern(collective, ranks);
      ASSERT_TRUE(graph) << collective;
      EXPECT_NEAR(seconds(rack, *graph), seconds(whole, *graph), 1e-9 * seconds(whole, *graph))
          << collective << domains;
    }
    const auto axes = graph_from_parallel("tp=16,dp=" + std::to_string(domains), "", "", ranks);
    ASSERT_TRUE(axes);
    EXPECT_NEAR(seconds(rack, *axes), seconds(whole, *axes), 1e-9 * seconds(whole, *axes))
        << domains;
  }
  // Without the domain it is the NICs' rate: nine times less and more.
  auto apart = racks(1, 4);
  for (auto& host : apart.hosts)
    for (auto& gpu : host.gpus) gpu.fabric_cluster.clear();
  const auto graph = graph_from_pattern("allreduce", 16);
  EXPECT_GT(seconds(apart, *graph), 4 * seconds(racks(1, 4), *graph));
}

TEST(GroupCost, BytesInsideADomainStillCountAsBetweenHosts) {
  const auto graph = graph_from_pattern("allgather", 16);
  const auto estimate = evaluate(racks(1, 4), *graph, in_order(racks(1, 4)));
  double between = 0, inside = 0;
  for (const auto& level : estimate.bytes_by_level)
    (level.level == "host" ? between : inside) += static_cast<double>(level.bytes);
  EXPECT_NEAR(between / inside, 4.0 / 12, 1e-9);
}

TEST(GroupCost, TheSecondTreeIsShiftedForOddCountsAndMirroredForEven) {
  const auto parents = [](int n) {
    std::vector<int> up;
    for (int i = 0; i < n; ++i) up.push_back(second_tree_parent(i, n));
    return up;
  };
  EXPECT_THAT(parents(5), ElementsAre(1, -1, 3, 0, 3));
  EXPECT_THAT(parents(4), ElementsAre(1, 3, 1, -1));
  for (int n = 2; n < 70; ++n) {
    // One root each, and no node has children in both trees but for the odd one over.
    int both = 0;
    std::vector<int> children(ix(2 * n), 0);
    for (int i = 0; i < n; ++i) {
      if (const int up = tree_parent(i, n); up >= 0) ++children[ix(up)];
      if (const int up = second_tree_parent(i, n); up >= 0) ++children[ix(n + up)];
    }
    for (int i = 0; i < n; ++i) both += children[ix(i)] > 0 && children[ix(n + i)] > 0;
    EXPECT_LE(both, n % 2) << n;
    EXPECT_EQ(std::count(children.begin(), children.end(), 3), 0) << n;
  }
}

TEST(GroupCost, ATreeOverOddHostCountsIsAsFastAsOverEven) {
  const auto busbw = [](int hosts) {
    const auto topology = leaf_spine(nvswitch_host("h", 8, 80), 1, hosts, 1);
    const int n = 8 * hosts;
    const double bytes = 4 << 20;
    RankGraph graph = world_allreduce(n, Bytes(4 << 20));
    return bytes / evaluate(topology, graph, in_order(topology)).seconds.count() * 2 * (n - 1) / n;
  };
  for (const int hosts : {5, 7, 9, 15})
    EXPECT_NEAR(busbw(hosts) / busbw(hosts + 1), 1, 0.12) << hosts;
}

}  // namespace
}  // namespace topolaunch::mapping
