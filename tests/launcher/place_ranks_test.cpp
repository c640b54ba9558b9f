// SPDX-License-Identifier: Apache-2.0
#include "launcher/place_ranks.h"

#include <gmock/gmock.h>

#include "tests/launcher/example_host.h"

namespace topolaunch::launcher {
namespace {

std::vector<int> gpus_by_rank(const std::string& list, const std::vector<std::string>& pins = {}) {
  TemporaryWorld world;
  world.environment.set("CUDA_VISIBLE_DEVICES", list);
  topo::Topology topology;
  topology.hosts = {example_host(8)};
  const VisibleGpus visible = visible_gpus(topology.hosts.front(), world.environment);
  JobOptions options;
  options.pins = pins;
  const auto model = model_job(options, {topology, &visible, 0}, world.outside());
  EXPECT_TRUE(model);
  const auto solution = place_ranks(topology, &visible, *model);
  EXPECT_TRUE(solution) << solution.error().text();
  std::vector<int> out;
  for (const mapping::RankPlace& place : solution->placement) {
    out.push_back(place.seat.gpu);
    EXPECT_EQ(place.affinity.numa, place.seat.gpu / 4) << "next to its own GPU";
  }
  return out;
}

TEST(PlaceRanks, KeepsTheOrderThatWasGivenWhereNothingIsGained) {
  EXPECT_THAT(gpus_by_rank("3,6,5,4,0,7,1,2"), testing::ElementsAre(3, 6, 5, 4, 0, 7, 1, 2));
  EXPECT_THAT(gpus_by_rank("6,2"), testing::ElementsAre(6, 2));
}

TEST(PlaceRanks, PinsMeanPciNumbersInAnyOrder) {
  EXPECT_EQ(gpus_by_rank("6,2", {"1=box:6"})[1], 6);
}

TEST(WithGpuOrder, TakesLinksAndPeersAlong) {
  topo::Host host = example_host(3);
  topo::GpuLink link;
  link.to = topo::GpuLink::To::gpu;
  link.peer = 2;
  host.gpus[0].links = {link};
  host.p2p.assign(3, std::vector<topo::P2pStatus>(3, topo::P2pStatus::ok));
  host.p2p[0][2] = topo::P2pStatus::disabled;
  const topo::Host ordered = with_gpu_order(host, {2, 0, 1});
  EXPECT_EQ(ordered.gpus[1].uuid, host.gpus[0].uuid);
  EXPECT_EQ(ordered.gpus[1].links[0].peer, 0);
  EXPECT_EQ(ordered.p2p[1][0], topo::P2pStatus::disabled);
  EXPECT_EQ(ordered.gpus[1].index, 1);
}

}  // namespace
}  // namespace topolaunch::launcher
