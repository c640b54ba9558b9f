// SPDX-License-Identifier: Apache-2.0
#include "mapping/other_launchers.h"

#include <gmock/gmock.h>

#include "mapping/index.h"
#include "mapping/patterns.h"
#include "mapping/placement_text.h"
#include "tests/mapping/machines.h"

namespace topolaunch::mapping {
namespace {

using namespace testing;
using ::testing::HasSubstr;

struct Job {
  topo::Topology topology;
  RankGraph graph;
  Solution solution;
};

/// Rank r on the r-th seat.
Job job(topo::Topology topology, RankGraph graph, const std::vector<Seat>& seats) {
  Job j{std::move(topology), std::move(graph), {}};
  std::vector<int> next(j.topology.hosts.size(), 0);
  for (int r = 0; r < count_of(seats); ++r) {
    auto& place = j.solution.placement.emplace_back();
    place.rank = r;
    place.seat = seats[ix(r)];
    place.local_rank = next[ix(place.seat.host)]++;
    place.affinity.cpus = {r};
  }
  return j;
}

std::string text(const Job& j, const std::string& format, GpuOrder order = {}) {
  const auto result = map_text(format, j.topology, j.graph, j.solution, order);
  if (result) return *result;
  EXPECT_EQ(result.error().code, Code::infeasible);
  return result.error().text();
}

TEST(OtherLaunchers, GpusThatTheOrderOfRanksDoesNotGiveAreRefused) {
  // A pair that is linked once as fast as the first two are.
  const auto mesh = job(single(cube_mesh_host("dgx")), world_allreduce(2, Bytes::mib(64)),
                        {{0, 0, 0}, {0, 3, 3}});
  for (const char* format : {"hostfile", "slurm", "rankfile", "mpich"})
    EXPECT_THAT(text(mesh, format), HasSubstr("can't say this placement: rank 1 belongs on GPU 3 "
                                              "of dgx, and local rank 1 takes GPU 1 there"))
        << format;
  EXPECT_THAT(text(mesh, "hostfile"), HasSubstr("use --format env"));
  EXPECT_EQ(text(mesh, "hostfile", {false, true}), "dgx\ndgx\n");
}

TEST(OtherLaunchers, WhereAllGpusAreEquallyNearTheOrderDoes) {
  const auto switched =
      job(single(nvswitch_host("h")), world_allreduce(2, Bytes::mib(64)), {{0, 0, 0}, {0, 3, 3}});
  EXPECT_EQ(text(switched, "hostfile"), "h\nh\n");
  // Not where the user named the GPU, nor where the file binds to the CPUs beside it.
  EXPECT_THAT(text(switched, "hostfile", {true, false}), HasSubstr("belongs on GPU 3"));
  EXPECT_THAT(text(switched, "rankfile"), HasSubstr("belongs on GPU 3"));
}

TEST(OtherLaunchers, MpichPutsAsManyOnEachHost) {
  const auto hosts = leaf_spine(nvswitch_host("h", 4), 1, 3, 1);
  const auto even =
      job(hosts, world_allreduce(5), {{0, 0, 0}, {1, 0, 0}, {0, 1, 1}, {1, 1, 1}, {2, 0, 0}});
  EXPECT_EQ(text(even, "mpich"), "0,2,\n1,3,\n4\n");
  const auto uneven =
      job(hosts, world_allreduce(5), {{0, 0, 0}, {1, 0, 0}, {1, 1, 1}, {2, 0, 0}, {2, 1, 1}});
  EXPECT_THAT(text(uneven, "mpich"),
              HasSubstr("1 rank on host0, 2 on host1, and MPICH puts as many on each host"));
}

TEST(OtherLaunchers, EnvPutsGpusInTheOrderOfRanks) {
  auto mesh = job(single(cube_mesh_host("dgx")), world_allreduce(2), {{0, 3, 3}, {0, 0, 0}});
  EXPECT_THAT(text(mesh, "env"), HasSubstr("CUDA_VISIBLE_DEVICES=GPU-0003,GPU-0000"));
  for (auto& gpu : mesh.topology.hosts[0].gpus) gpu.uuid.clear();
  EXPECT_THAT(text(mesh, "env"), HasSubstr("CUDA_VISIBLE_DEVICES=3,0"));
  // Two ranks on one GPU: CUDA hides a repeated one.
  const auto shared =
      job(single(cube_mesh_host("dgx")), world_allreduce(2), {{0, 0, 0}, {0, 0, 8}});
  EXPECT_THAT(text(shared, "env"), ::testing::Not(HasSubstr("CUDA_VISIBLE_DEVICES")));
}

}  // namespace
}  // namespace topolaunch::mapping
