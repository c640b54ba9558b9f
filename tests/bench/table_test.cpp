// SPDX-License-Identifier: Apache-2.0
#include "bench/table.h"

#include <gmock/gmock.h>

#include <sstream>

#include "tests/bench/example.h"

namespace topolaunch::bench {
namespace {

TEST(Table, IsLaidOutAsNcclTestsLaysItOut) {
  const std::string expected =
      R"(# topobench allreduce over mpi host memory, Open MPI 4.1.4, 2 ranks on 2 hosts
# backend: asked for by --subject
# minBytes 1024 maxBytes 1048576 step: 1024(factor) warmup iters: 5 iters: 20 validation: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid   4711 on         n1 device  - [cpu] CPUs 0-3
#  Rank  1 Group  0 Pid    815 on         n2 device  3 [0000:18:00.0] NVIDIA H100
# note: a note
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)
        1024           256     float     sum      -1    12.35    0.08    0.08       0    10.00    0.10    0.10       3
     1048576        262144     float     sum      -1    20480    0.05    0.05       0   1024.0    1.02    1.02       3
# Out of bounds values : 6 FAILED
# Avg bus bandwidth    : 0.315137
#
)";
  EXPECT_EQ(to_table(example_measurement()), expected);
}

TEST(Table, RowsHaveThirteenColumnsWhateverIsInThem) {
  SizeResult r;
  r.size = std::int64_t{1} << 40;
  r.out_of_place.wrong = -1;
  r.in_place.time = Seconds(1234);
  r.in_place.busbw = 12345e9;
  std::istringstream words(table_row(r));
  int columns = 0;
  for (std::string word; words >> word;) ++columns;
  EXPECT_EQ(columns, 13);
  EXPECT_THAT(table_row(r), testing::HasSubstr("N/A"));
}

}  // namespace
}  // namespace topolaunch::bench
