// SPDX-License-Identifier: Apache-2.0
#include "launcher/measured/expected.h"

#include <gmock/gmock.h>

namespace topolaunch::launcher {
namespace {

using testing::HasSubstr;

constexpr const char* kHead = "gpu,hosts,ranks,collective,size_bytes,busbw_GBs,source,date\n";

bench::Measurement eight_h100(double busbw) {
  bench::Measurement m;
  m.ranks = 8;
  m.hosts = 1;
  for (int r = 0; r < 8; ++r) {
    bench::Device d;
    d.rank = r;
    d.host = "n1";
    d.device = "0000:0" + std::to_string(r) + ":00.0";
    d.info = "NVIDIA H100 80GB HBM3";
    m.devices.push_back(d);
  }
  bench::SizeResult r;
  r.size = std::int64_t{1} << 32;
  r.out_of_place.busbw = busbw;
  m.results.push_back(r);
  return m;
}

std::vector<Check> checks(double busbw, const std::string& row) {
  const auto figures = expected_from_csv(kHead + row, "e.csv");
  EXPECT_TRUE(figures) << (figures ? "" : figures.error().text());
  return check_expected(eight_h100(busbw), *figures);
}

TEST(Expected, TheBandNarrowsWithTheSize) {
  EXPECT_DOUBLE_EQ(allowed_deviation(8), 0.5);
  EXPECT_DOUBLE_EQ(allowed_deviation(64 << 20), 0.5);
  EXPECT_NEAR(allowed_deviation(256 << 20), 0.3, 1e-9);
  EXPECT_NEAR(allowed_deviation(std::int64_t{1} << 30), 0.1, 1e-9);
  EXPECT_NEAR(allowed_deviation(std::int64_t{1} << 40), 0.1, 1e-9);
}

TEST(Expected, BelowTheBandAndAboveItFail) {
  const std::string row = "H100,1,8,all_reduce,4294967296,480,NVIDIA/nccl#1455,2024-09-13\n";
  EXPECT_EQ(checks(450e9, row).at(0).verdict, Outcome::pass);
  const Check slow = checks(360e9, row).at(0);
  EXPECT_EQ(slow.verdict, Outcome::fail);
  EXPECT_THAT(slow.suspect, HasSubstr("too slow, 0.75"));
  EXPECT_THAT(slow.source, HasSubstr("nccl#1455, 2024-09-13"));
  const Check fast = checks(900e9, row).at(0);
  EXPECT_EQ(fast.verdict, Outcome::fail);
  EXPECT_THAT(fast.suspect, HasSubstr("too fast"));
  EXPECT_FALSE(fast.confirm.empty());
}

TEST(Expected, AFigureWithoutADateDecidesNothing) {
  const Check check = checks(100e9, "H100,1,8,allreduce,4294967296,480,hearsay,\n").at(0);
  EXPECT_EQ(check.verdict, Outcome::not_applicable);
  EXPECT_THAT(check.suspect, HasSubstr("no date"));
}

TEST(Expected, FiguresOfOtherMachinesAndSizesDoNotApply) {
  for (const char* row :
       {"A100,1,8,allreduce,4294967296,230,x,2025-01\n",
        "H100,2,16,allreduce,4294967296,430,x,2025-01\n",
        "H100,1,8,allgather,4294967296,430,x,2025-01\n", "H100,1,8,allreduce,1024,1,x,2025-01\n"}) {
    EXPECT_TRUE(checks(480e9, row).empty()) << row;
  }
  EXPECT_EQ(checks(480e9, ",,,allreduce,4294967296,480,anybody,2025-01\n").size(), 1u);
}

TEST(Expected, BadRowsAreNamedByTheirLine) {
  const auto refusal = [](const std::string& text) {
    return expected_from_csv(text, "e.csv").error().text();
  };
  EXPECT_THAT(refusal("gpu,hosts\n"), HasSubstr("no column collective"));
  EXPECT_THAT(refusal(std::string(kHead) + "H100,1,8,sum,1,1,x,2025-01\n"),
              HasSubstr("e.csv:2: there is no collective"));
  EXPECT_THAT(refusal(std::string(kHead) + "H100,1,8,allreduce,1,-1,x,2025-01\n"),
              HasSubstr("above 0"));
  EXPECT_THAT(refusal(std::string(kHead) + "H100,1,8,allreduce,1,1,x,May\n"), HasSubstr("no date"));
  EXPECT_THAT(refusal(std::string(kHead) + "H100,1,8,allreduce,1,1,,2025-01\n"),
              HasSubstr("without a source"));
  EXPECT_THAT(refusal(""), HasSubstr("nothing in it"));
}

}  // namespace
}  // namespace topolaunch::launcher
