// SPDX-License-Identifier: Apache-2.0
#include "bench/collective.h"

#include <gtest/gtest.h>

#include "bench/bus_bandwidth.h"

namespace topolaunch::bench {
namespace {

TEST(Collective, EachHasAFactorAndIsFoundByBothNames) {
  for (const Collective c : kCollectives) {
    EXPECT_EQ(collective_named(name_of(c)), c);
    EXPECT_GT(bus_factor(name_of(c), 4), 0) << name_of(c);
  }
  EXPECT_EQ(collective_named("all_reduce_perf"), Collective::allreduce);
  EXPECT_EQ(collective_named("reduce_scatter_perf"), Collective::reduce_scatter);
  EXPECT_EQ(collective_named("hypercube"), std::nullopt);
}

TEST(Collective, SizesAreThoseThatNcclTestsPrints) {
  // Ten ranks, doubles, 32 MiB asked for: nccl-tests 2.17 prints size 33554400, count 419430.
  const Layout gather = layout_of(Collective::allgather, 33554432, 8, 10);
  EXPECT_EQ(gather.size, 33554400);
  EXPECT_EQ(gather.count, 419430u);
  EXPECT_EQ(gather.send, 419430u);
  EXPECT_EQ(gather.receive, 4194300u);
  const Layout scatter = layout_of(Collective::reduce_scatter, 33554432, 8, 10);
  EXPECT_EQ(scatter.send, 4194300u);
  EXPECT_EQ(scatter.receive, 419430u);
  // Two ranks: an alltoall of 33554432 bytes is 2097152 doubles to each.
  EXPECT_EQ(layout_of(Collective::alltoall, 33554432, 8, 2).count, 2097152u);
  EXPECT_EQ(layout_of(Collective::sendrecv, 33554432, 8, 2).count, 4194304u);
  EXPECT_EQ(layout_of(Collective::allreduce, 33554432, 8, 10).size, 33554432);
}

TEST(Collective, ASizeBelowOneElementAPartIsOneElementAPart) {
  const Layout small = layout_of(Collective::allgather, 8, 4, 8);
  EXPECT_EQ(small.count, 1u);
  EXPECT_EQ(small.size, 32);
}

}  // namespace
}  // namespace topolaunch::bench
