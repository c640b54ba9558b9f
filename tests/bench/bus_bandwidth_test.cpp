// SPDX-License-Identifier: Apache-2.0
#include "bench/bus_bandwidth.h"

#include <gtest/gtest.h>

namespace topolaunch::bench {
namespace {

TEST(BusBandwidth, FactorsAreThoseOfNcclTests) {
  EXPECT_DOUBLE_EQ(bus_factor("allreduce", 16), 1.875);
  EXPECT_DOUBLE_EQ(bus_factor("all_reduce", 2), 1);
  EXPECT_DOUBLE_EQ(bus_factor("allgather", 8), 0.875);
  EXPECT_DOUBLE_EQ(bus_factor("reduce_scatter", 4), 0.75);
  EXPECT_DOUBLE_EQ(bus_factor("alltoall", 4), 0.75);
  EXPECT_DOUBLE_EQ(bus_factor("broadcast", 8), 1);
  EXPECT_DOUBLE_EQ(bus_factor("sendrecv", 8), 1);
}

TEST(BusBandwidth, OneRankMovesNothingAndUnknownCollectivesHaveNoFactor) {
  EXPECT_DOUBLE_EQ(bus_factor("allreduce", 1), 0);
  EXPECT_DOUBLE_EQ(bus_factor("allreduce", 0), 0);
  EXPECT_DOUBLE_EQ(bus_factor("allfoo", 4), 0);
}

TEST(BusBandwidth, AlgorithmBandwidthIsBytesOverTime) {
  EXPECT_DOUBLE_EQ(algorithm_bandwidth(1'000'000, Seconds(0.001)), 1e9);
  EXPECT_DOUBLE_EQ(algorithm_bandwidth(1, Seconds(0)), 0);
}

}  // namespace
}  // namespace topolaunch::bench
