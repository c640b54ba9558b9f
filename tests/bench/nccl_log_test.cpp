// SPDX-License-Identifier: Apache-2.0
#include "bench/nccl_log.h"

#include <gmock/gmock.h>

namespace topolaunch::bench {
namespace {

using testing::HasSubstr;

constexpr const char* kTwoRuns =
    R"(# nccl-tests version 2.19.6 nccl-headers=22809 nccl-library=22809
# Collective test starting: alltoall_perf
# nThread 1 nGpus 1 minBytes 1048576 maxBytes 2097152 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid    100 on       n1 device  0 [0000:1b:00] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid    200 on       n2 device  3 [0000:5d:00] NVIDIA H100 80GB HBM3
#
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)
     1048576         65536    double    none      -1   100.00   10.49    5.24       0   101.00   10.38    5.19    N/A
     2097152        131072    double    none      -1   160.00   13.11    6.55       2   161.00   13.03    6.51    N/A
# Out of bounds values : 1 FAILED
# Avg bus bandwidth    : 5.87
#
# Collective test starting: sendrecv_perf
# nThread 1 nGpus 1 minBytes 1048576 maxBytes 1048576 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
#  Rank  0 Group  0 Pid    101 on       n1 device  0 [0000:1b:00] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid    201 on       n2 device  3 [0000:5d:00] NVIDIA H100 80GB HBM3
     1048576        131072    double     sum      -1   200.00    5.24    5.24       0   200.00    5.24    5.24    N/A
n2: Test NCCL failure sendrecv.cu:57 'remote process exited or there was a network error / '
)";

TEST(NcclLog, HoldsSeveralRunsAndTheOneThatBrokeOff) {
  ASSERT_TRUE(is_nccl_log(kTwoRuns));
  const auto runs = nccl_runs(kTwoRuns, "log");
  ASSERT_TRUE(runs) << runs.error().text();
  ASSERT_EQ(runs->size(), 2u);
  const NcclRun& first = runs->front();
  EXPECT_EQ(first.measurement.collective, "alltoall");
  EXPECT_EQ(first.measurement.backend_version, "2.28.9");
  EXPECT_EQ(first.measurement.ranks, 2);
  EXPECT_EQ(first.measurement.hosts, 2);
  EXPECT_EQ(first.measurement.devices[1].device, "0000:5d:00");
  EXPECT_EQ(first.measurement.devices[1].info, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(first.measurement.devices[1].index, 3);
  ASSERT_EQ(first.measurement.results.size(), 2u);
  EXPECT_DOUBLE_EQ(first.measurement.results[1].out_of_place.busbw, 6.55e9);
  EXPECT_EQ(first.measurement.results[1].out_of_place.wrong, 2);
  EXPECT_EQ(first.measurement.results[1].in_place.wrong, -1);
  EXPECT_EQ(first.measurement.wrong, 2);
  EXPECT_TRUE(first.ended);
  EXPECT_TRUE(first.said_failed);
  EXPECT_DOUBLE_EQ(first.said_average, 5.87);
  const NcclRun& second = runs->back();
  EXPECT_EQ(second.measurement.collective, "sendrecv");
  EXPECT_FALSE(second.ended);
  ASSERT_EQ(second.complaints.size(), 1u);
  EXPECT_THAT(second.complaints[0], HasSubstr("n2"));
}

TEST(NcclLog, ManyWrongElementsAreCountedWhereTheyAreRounded) {
  const auto runs = nccl_runs(
      "# nThread 1 nGpus 1\n"
      "   1024   256   float   sum   -1   1.0   1.0   1.0  1.5e+06   1.0   1.0   1.0   0\n",
      "log");
  ASSERT_TRUE(runs);
  EXPECT_EQ(runs->front().measurement.wrong, 1'500'000);
}

TEST(NcclLog, OldReleasesHaveNoRootAndPrintTheLargestError) {
  const auto runs = nccl_runs(
      "# nThread 1 nGpus 2\n"
      "   1024   256   float   sum   1.0   2.0   3.0   4e-07   4.0   5.0   6.0   0e+00\n",
      "log");
  ASSERT_TRUE(runs) << runs.error().text();
  const SizeResult& r = runs->front().measurement.results.at(0);
  EXPECT_DOUBLE_EQ(r.out_of_place.busbw, 3e9);
  EXPECT_DOUBLE_EQ(r.in_place.busbw, 6e9);
  EXPECT_EQ(r.out_of_place.wrong, 0);
}

TEST(NcclLog, MixedWorldsOfOneRankAreCounted) {
  const auto runs = nccl_runs(
      "# nThread 1 nGpus 1 minBytes 8\n# nThread 1 nGpus 1 minBytes 8\n"
      "#  Rank  0 Group  0 Pid 1 on n1 device 0 [0000:18:00] H100\n"
      "#  Rank  0 Group  0 Pid 2 on n2 device 0 [0000:18:00] H100\n"
      "   8   2   float   sum   -1   1.0   1.0   0.0  0   1.0   1.0   0.0   0\n",
      "log");
  ASSERT_TRUE(runs);
  ASSERT_EQ(runs->size(), 1u);
  EXPECT_EQ(runs->front().worlds, 2);
}

TEST(NcclLog, ReleasesOfRowsWithoutRedopNameTheCollectiveByItsFactor) {
  const auto collective = [](const std::string& columns, const std::string& busbw) {
    std::string text = "# nThread 1 nGpus 4\n";
    for (int rank = 0; rank < 4; ++rank) {
      text += "#   Rank  " + std::to_string(rank) + " Pid 9 on n1 device  0 [0x00] A100\n";
    }
    const auto runs = nccl_runs(
        text + " 1024 64 float " + columns + " 9.0 100 " + busbw + " N/A 9.0 100 1 N/A\n", "log");
    EXPECT_TRUE(runs) << runs.error().text();
    EXPECT_EQ(runs->front().measurement.results.at(0).out_of_place.wrong, -1);
    return runs->front().measurement.collective;
  };
  EXPECT_EQ(collective("", "75.0"), "allgather or alltoall");
  EXPECT_EQ(collective("", "100.0"), "sendrecv");
  EXPECT_EQ(collective("0", "100.0"), "broadcast");
  EXPECT_EQ(collective("sum", "150.0"), "allreduce");
  EXPECT_EQ(collective("sum", "75.0"), "reduce_scatter");
  EXPECT_EQ(collective("sum 0", "100.0"), "reduce");
  EXPECT_EQ(collective("sum -1", "33.0"), "an unnamed collective");
}

TEST(NcclLog, MessagesOfNcclInTheMidstOfARowAreLeftOut) {
  const auto runs = nccl_runs(
      "# nThread 1 nGpus 1\n"
      "#  Rank  0 Group  0 Pid 77 on 3f device  0 [0000:18:00] H100\n"
      "  1024   256   float   sum   -13f:77:78 [0] NCCL INFO AllReduce: 1 Bytes\n"
      "3f:77:78 [0] NCCL INFO AllReduce: 1024 Bytes -> Algo RING\n"
      "  8.00  2.00  3.00   03f:77:78 [0] NCCL INFO AllReduce: 1 Bytes\n"
      "  9.00  2.00  4.00   0\n",
      "log");
  ASSERT_TRUE(runs) << runs.error().text();
  const SizeResult& r = runs->front().measurement.results.at(0);
  EXPECT_EQ(r.root, -1);
  EXPECT_DOUBLE_EQ(r.out_of_place.busbw, 3e9);
  EXPECT_DOUBLE_EQ(r.in_place.busbw, 4e9);
  EXPECT_TRUE(runs->front().complaints.empty());
}

TEST(NcclLog, RanksThatALauncherPutsInFrontAreTakenAway) {
  for (const std::string tag : {"0: ", " 12: ", "[1,0]<stdout>:", "[1,0]<stdout>: ",
                                "[prterun-n1-77@1,0]<stdout>:", "[0] "}) {
    std::string text;
    for (std::string_view rest = kTwoRuns; !rest.empty();) {
      const auto end = rest.find('\n');
      text += tag + std::string(rest.substr(0, end)) + "\n";
      rest.remove_prefix(end + 1);
    }
    ASSERT_TRUE(is_nccl_log(text)) << tag;
    const auto runs = nccl_runs(text, "log");
    ASSERT_TRUE(runs) << tag << runs.error().text();
    ASSERT_EQ(runs->size(), 2u) << tag;
    EXPECT_EQ(runs->front().measurement.collective, "alltoall") << tag;
    EXPECT_EQ(runs->front().measurement.ranks, 2) << tag;
    ASSERT_EQ(runs->front().measurement.results.size(), 2u) << tag;
    EXPECT_DOUBLE_EQ(runs->front().measurement.results[1].out_of_place.busbw, 6.55e9) << tag;
    ASSERT_EQ(runs->back().complaints.size(), 1u) << tag;
    EXPECT_TRUE(runs->back().complaints[0].starts_with("n2: Test NCCL failure")) << tag;
  }
}

TEST(NcclLog, SizesAskedForAreThoseOfItsOwnLoop) {
  Configuration c;
  EXPECT_EQ(sizes_asked_for(c), 0);
  c.minimum_bytes = 1 << 20;
  c.maximum_bytes = std::int64_t{8} << 30;
  c.step_factor = 2;
  EXPECT_EQ(sizes_asked_for(c), 14);
  c.step_factor = 0;
  c.maximum_bytes = 4 << 20;
  c.step_bytes = 1 << 20;
  EXPECT_EQ(sizes_asked_for(c), 4);
}

TEST(NcclLog, ARowThatCannotBeReadIsSkippedAndNamedByItsLine) {
  const std::string bad = " 8 2 float sum -1 fast 1 1 0 1 1 1 0\n";
  const auto some = nccl_runs("# nThread 1\n" + bad + " 8 2 float sum -1 1 1 1 0 1 1 1 0\n", "x");
  ASSERT_TRUE(some) << some.error().text();
  EXPECT_EQ(some->front().measurement.results.size(), 1u);
  EXPECT_THAT(some->front().unread, testing::ElementsAre(2));
  const auto none = nccl_runs("# nThread 1\n" + bad, "log.txt");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().text(), HasSubstr("log.txt:2"));
  EXPECT_FALSE(is_nccl_log("hello"));
  EXPECT_FALSE(nccl_runs("hello", "x"));
}

}  // namespace
}  // namespace topolaunch::bench
