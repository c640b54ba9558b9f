// SPDX-License-Identifier: Apache-2.0
#include "launcher/measured/pair_file.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "base/files.h"

namespace topolaunch::launcher {
namespace {

using bench::PairFigure;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

std::vector<PairFigure> read(const std::string& text) {
  auto figures = pair_figures(text, "t.csv");
  EXPECT_TRUE(figures) << (figures ? "" : figures.error().text());
  return figures.value_or(PairFile{}).figures;
}

TEST(PairFile, HostsWithoutAnyFigureAreNamedAsWell) {
  const auto hosts = [](const std::string& text) { return pair_figures(text, "t").value().hosts; };
  EXPECT_THAT(hosts("GB/s,a,b,c\na,,1,\nb,1,,\nc,,,\n"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(hosts("src,dst,latency_us\na,b,1\na,c,-\n"), ElementsAre("a", "b", "c"));
}

TEST(PairFile, ASummaryOfNcclTestsHasHostListsAndRowsThatFailed) {
  const auto figures = read(
      "file,test,N,G,nodes,minBytes,maxBytes,avg_bus_bw_GBs,peak_busbw_GBs\n"
      "a.log,sendrecv_perf,2,1,\"n[01,03]\",8,8,1,2.5\n"
      "b.log,sendrecv_perf,2,4,n[01-02],8,8,,\n"
      "c.log,sendrecv_perf,4,1,n[01-04],8,8,1,2\n");
  ASSERT_EQ(figures.size(), 2u);
  EXPECT_EQ(figures[0].from, "n01");
  EXPECT_EQ(figures[0].to, "n03");
  EXPECT_DOUBLE_EQ(figures[0].value, 2.5e9);
  EXPECT_EQ(figures[0].test, "sendrecv_perf N2 G1");
  EXPECT_EQ(figures[1].value, 0);
}

TEST(PairFile, SizesAreKindsOfTheirOwn) {
  const auto figures = read("src,dst,bytes,bytes_per_second\na,b,1024,1e8\na,b,1048576,2e10\n");
  ASSERT_EQ(figures.size(), 2u);
  EXPECT_EQ(figures[0].test, "bandwidth of 1024 B");
  EXPECT_EQ(figures[1].test, "bandwidth of 1048576 B");
}

TEST(PairFile, WhatFailedIsToldFromWhatNobodyTook) {
  const auto values = [](const std::string& text) {
    std::vector<double> result;
    for (const auto& figure : read(text)) result.push_back(figure.value);
    return result;
  };
  EXPECT_THAT(values("src,dst,bytes_per_second\na,b,FAILED\na,c,n/a\nb,c,2\n"), ElementsAre(0, 2));
  EXPECT_THAT(values("src,dst,latency_us\na,b,timeout\na,c,0\nb,c,2\n"), ElementsAre(0, 5e5));
  EXPECT_THAT(values("us,a,b,c\na,0,inf,2\nb,inf,0,0\nc,2,0,0\n"), ElementsAre(0, 5e5));
  EXPECT_THAT(values("test,N,G,nodes,peak_busbw_GBs\nx,2,1,\"a,b\",N/A\nx,2,1,\"a,c\",\nx,2,1,\"b,c\",3\n"),
              ElementsAre(0, 3e9));
}

TEST(PairFile, ASpreadsheetsMatrixHasDecimalCommasAndHoles) {
  const auto figures = read("\xef\xbb\xbfLatenz (\xc2\xb5s);a;b\r\na;-;2,5\r\nb;;-\r\n");
  ASSERT_EQ(figures.size(), 1u);
  EXPECT_NEAR(1 / figures[0].value, 2.5e-6, 1e-12);
  EXPECT_TRUE(figures[0].latency);
  EXPECT_TRUE(figures[0].directed);
}

TEST(PairFile, UnitsAreThoseOfTopologies) {
  EXPECT_DOUBLE_EQ(read("TB/s,a,b\na,,1\nb,1,\n")[0].value, 1e12);
  EXPECT_NEAR(1 / read("time (ns),a,b\na,,5\nb,5,\n")[0].value, 5e-9, 1e-15);
}

TEST(PairFile, ASymmetricMatrixHasOneFigureAPair) {
  const auto figures = read("GB/s,a,b,c\na,,10,20\nb,10,,30\nc,20,30,\n");
  ASSERT_EQ(figures.size(), 3u);
  EXPECT_FALSE(figures[0].directed);
  EXPECT_DOUBLE_EQ(figures[2].value, 30e9);
}

TEST(PairFile, WhatCannotBeReadIsNamedByItsLine) {
  const auto refusal = [](const std::string& text) {
    return pair_figures(text, "t.csv").error().text();
  };
  EXPECT_THAT(refusal("hello\n"), HasSubstr("no rows"));
  EXPECT_THAT(refusal("x,a,b\na,,1\nb,1,\n"), HasSubstr("names no unit"));
  EXPECT_THAT(refusal("hops,a,b\na,,1\nb,1,\n"), HasSubstr("names no unit of rates or times"));
  EXPECT_THAT(refusal("root:x:0:0\nbin:x:2:2\n"),
              HasSubstr("t.csv:1: this is no table of what pairs of hosts reached"));
  EXPECT_THAT(refusal("GB/s,a,b\na,,fast\nb,1,\n"), HasSubstr("t.csv:2: \"fast\""));
  EXPECT_THAT(refusal("GB/s,a,b\na,,1\n"), HasSubstr("square"));
  EXPECT_THAT(refusal("GB/s,a,b\na,,1\nc,1,\n"), HasSubstr("names differ"));
  EXPECT_THAT(refusal("src,dst,speed\na,b,1\n"), HasSubstr("bytes_per_second"));
}

/// Names that elimination finds in a shared file; skipped where there is none.
class SharedPairs : public testing::Test {
 protected:
  std::vector<std::string> culprits(const std::string& path) {
    const char* shared = std::getenv("TOPOLAUNCH_SHARED");
    const RootedFiles files;
    const std::string file = std::string(shared == nullptr ? "/nowhere" : shared) + path;
    if (!files.exists(file)) {
      missing_ = true;
      return {};
    }
    const auto figures = pair_figures(files.read(file, 1 << 26).value(), file);
    EXPECT_TRUE(figures) << figures.error().text();
    count_ = figures->figures.size();
    std::vector<std::string> names;
    for (const auto& c : bench::culprits_of_figures(figures->figures).culprits)
      names.push_back(c.name);
    return names;
  }
  std::size_t count_ = 0;
  bool missing_ = false;
};
#define SKIP_WITHOUT_SAMPLES() \
  if (missing_) GTEST_SKIP() << "no shared files here (TOPOLAUNCH_SHARED)"

TEST_F(SharedPairs, TheSlowHostAndTheSlowPairOfTwelveAreNamedInEveryFormat) {
  for (const char* format : {"summary", "matrix", "long"}) {
    const auto names =
        culprits(std::string("/samples/measured/pairwise-12hosts-") + format + ".csv");
    SKIP_WITHOUT_SAMPLES();
    EXPECT_THAT(names, UnorderedElementsAre("host lk07 or its link", "path lk03 - lk10")) << format;
  }
  EXPECT_EQ(count_, 132u);
}

TEST_F(SharedPairs, ALatencyThatIsLongOneWayOnlyIsNamedWithItsDirection) {
  for (const char* file :
       {"latency-8hosts-asymmetric.csv", "latency-8hosts-bom-semicolon-comma.csv"}) {
    const auto names = culprits(std::string("/samples/measured/") + file);
    SKIP_WITHOUT_SAMPLES();
    EXPECT_THAT(names, ElementsAre("lk02 sending to lk06")) << file;
  }
}

TEST_F(SharedPairs, NobodyIsNamedOnAClusterThatIsEvenWithinAnEighth) {
  const auto names = culprits(
      "/fixtures/fabric/nccl-pairwise/"
      "example-cluster01__pairwise__runs__20260128-010702__without-debug__summary.csv");
  SKIP_WITHOUT_SAMPLES();
  EXPECT_EQ(count_, 360u);
  EXPECT_THAT(names, ElementsAre());
}

TEST_F(SharedPairs, TheEightSlowAndTheFailedPairsOfARealClusterAreNamed) {
  const auto names = culprits(
      "/fixtures/fabric/nccl-pairwise/"
      "example-cluster00__pairwise__runs__2511__without-debug__summary.csv");
  SKIP_WITHOUT_SAMPLES();
  EXPECT_EQ(count_, 810u);
  // By hand: below 10 of 13.5 GB/s in alltoall and in sendrecv over one GPU a host.
  for (const char* pair :
       {"001 - cnode2-004", "002 - cnode2-006", "004 - cnode2-006", "004 - cnode2-009",
        "011 - cnode2-012", "013 - cnode2-016", "013 - cnode2-017"}) {
    EXPECT_THAT(names, testing::Contains(std::string("path cnode2-") + pair));
  }
  // The eighth, 002 - 003, is one of many of a host that is slow as a whole.
  EXPECT_THAT(names, testing::Contains("host cnode2-003 or its link"));
  // Failed in three tests or more.
  for (const char* pair : {"002 - cnode2-008", "003 - cnode2-008", "005 - cnode2-016",
                           "007 - cnode2-016", "008 - cnode2-009"}) {
    EXPECT_THAT(names, testing::Contains(std::string("path cnode2-") + pair));
  }
}

}  // namespace
}  // namespace topolaunch::launcher
