// SPDX-License-Identifier: Apache-2.0
//
// What validate --measured says of real clusters' files (../shared/fixtures/fabric), held against
// counts that were made from the files by other means: a spreadsheet's, and nccl-tests' own
// footers.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

#include "bench/nccl_log.h"
#include "bench/statistics.h"
#include "launcher/measured/file_checks.h"
#include "launcher/measured/pair_file.h"
#include "tests/launcher/example_host.h"

namespace topolaunch::launcher {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class SharedCounts : public testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("TOPOLAUNCH_SHARED");
    fabric_ = std::string(folder == nullptr ? "/nowhere" : folder) + "/fixtures/fabric";
    if (!world_.files.exists(fabric_ + "/nccl-pairwise")) {
      GTEST_SKIP() << "no shared files here (TOPOLAUNCH_SHARED)";
    }
  }
  std::string read(const std::string& path) { return world_.files.read(fabric_ + path, 1 << 24).value(); }
  std::vector<Check> checks_of(const std::string& path) {
    return check_files({fabric_ + path}, {}, world_.outside()).value();
  }

  static constexpr const char* kCluster0 =
      "/nccl-pairwise/example-cluster00__pairwise__runs__2511__without-debug__summary.csv";
  static constexpr const char* kCluster1 =
      "/nccl-pairwise/example-cluster01__pairwise__runs__20260128-010702__without-debug__summary.csv";
  TemporaryWorld world_;
  std::string fabric_;
};

struct Counted {
  int rows = 0, without = 0, slow = 0;
  bool operator==(const Counted&) const = default;
};
void PrintTo(const Counted& c, std::ostream* out) {
  *out << c.rows << " rows, " << c.without << " without a figure, " << c.slow << " slow";
}

/// Slow: below 0.85 of the median of its test.
std::map<std::string, Counted> count(const std::vector<bench::PairFigure>& figures) {
  std::map<std::string, std::vector<double>> by_test;
  for (const bench::PairFigure& f : figures) by_test[f.test].push_back(f.value);
  std::map<std::string, Counted> out;
  for (const auto& [test, values] : by_test) {
    std::vector<double> there;
    std::ranges::copy_if(values, std::back_inserter(there), [](double v) { return v > 0; });
    const double middle = bench::median(there);
    out[test] = {static_cast<int>(values.size()), static_cast<int>(values.size() - there.size()),
                 static_cast<int>(std::ranges::count_if(
                     there, [&](double v) { return v < 0.85 * middle; }))};
  }
  return out;
}

TEST_F(SharedCounts, RowsOfTheSummariesAreThoseOfTheSpreadsheet) {
  const std::map<std::string, Counted> first{
      {"alltoall_perf N2 G1", {136, 2, 8}},  {"alltoall_perf N2 G4", {136, 18, 17}},
      {"alltoall_perf N2 G8", {136, 5, 15}}, {"sendrecv_perf N2 G1", {134, 3, 8}},
      {"sendrecv_perf N2 G4", {133, 2, 27}}, {"sendrecv_perf N2 G8", {135, 4, 0}}};
  EXPECT_EQ(count(pair_figures(read(kCluster0), "0").value().figures), first);
  const auto second = count(pair_figures(read(kCluster1), "1").value().figures);
  EXPECT_EQ(second.size(), 8u);
  for (const auto& [test, counted] : second) EXPECT_EQ(counted, (Counted{45, 0, 0})) << test;
}

TEST_F(SharedCounts, NamedPathsAreThoseThatFailOrAreSlowInTwoTests) {
  const auto figures = pair_figures(read(kCluster0), "0").value().figures;
  std::map<std::string, std::vector<double>> by_test;
  for (const auto& f : figures) {
    if (f.value > 0) by_test[f.test].push_back(f.value);
  }
  std::map<std::string, int> bad, failed;
  for (const auto& f : figures) {
    const std::string path = "path " + std::min(f.from, f.to) + " - " + std::max(f.from, f.to);
    bad[path] += f.value < 0.85 * bench::median(by_test[f.test]) ? 1 : 0;
    failed[path] += f.value > 0 ? 0 : 1;
  }
  std::set<std::string> by_hand, named;
  for (const auto& [path, times] : bad) {
    if (times >= 2 || failed[path] > 0) by_hand.insert(path);
  }
  std::vector<std::string> hosts;
  for (const Check& check : checks_of(kCluster0)) {
    if (check.name != "pairs") continue;
    if (check.suspect.starts_with("path ")) {
      named.insert(check.suspect);
    } else {
      hosts.push_back(check.suspect);
    }
  }
  EXPECT_EQ(by_hand.size(), 40u);
  // Most slow pairs by far have this host in common (31 of its figures; the next one has 22), so
  // that its paths which never failed need no fault of their own.
  EXPECT_THAT(hosts, testing::ElementsAre("host cnode2-003 or its link"));
  for (const auto& [path, times] : failed) {
    if (path.find("cnode2-003") != std::string::npos && times == 0) by_hand.erase(path);
  }
  EXPECT_EQ(named, by_hand);
}

TEST_F(SharedCounts, PairsWithoutARowAreCounted) {
  const auto checks = checks_of(kCluster0);
  ASSERT_EQ(checks.back().name, "missing");
  // 17 hosts: 136 pairs; the spreadsheet has 134, 133 and 135 rows of sendrecv.
  EXPECT_EQ(checks.back().measured,
            "pairs without a figure: sendrecv_perf N2 G1: 2 of 136; sendrecv_perf N2 G4: 3 of 136; "
            "sendrecv_perf N2 G8: 1 of 136");
  EXPECT_EQ(checks.back().verdict, Outcome::could_not_test);
}

TEST_F(SharedCounts, OldReleasesAreReadToTheirFooters) {
  for (const auto& [name, collective, busbw] :
       {std::tuple("allgather", "allgather or alltoall", 223.39e9),
        std::tuple("allreduce", "allreduce", 0.0), std::tuple("broadcast", "broadcast", 0.0)}) {
    const std::string file = std::string("/superbench/nccl_") + name + ".log";
    const std::vector<bench::NcclRun> runs = bench::nccl_runs(read(file), file).value();
    ASSERT_EQ(runs.size(), 1u) << name;
    const bench::Measurement& m = runs[0].measurement;
    EXPECT_EQ(m.collective, collective);
    EXPECT_TRUE(runs[0].unread.empty());
    EXPECT_NEAR(m.average_busbw / 1e9, runs[0].said_average, 0.006) << name;
    if (busbw > 0) {
      EXPECT_DOUBLE_EQ(m.results.back().out_of_place.busbw, busbw);
    }
    EXPECT_EQ(m.wrong, -1);
  }
}

TEST_F(SharedCounts, RowsThatMessagesCutInPiecesArePutTogether) {
  const std::string path = "/../nccl-debug/h100-g2_auto.log";
  const std::vector<bench::NcclRun> runs = bench::nccl_runs(read(path), path).value();
  ASSERT_EQ(runs.size(), 1u);
  ASSERT_EQ(runs[0].measurement.results.size(), 6u);
  EXPECT_EQ(runs[0].measurement.results[0].in_place.time, Seconds(896.61e-6));
  EXPECT_NEAR(runs[0].measurement.average_busbw / 1e9, runs[0].said_average, 0.006);
}

TEST_F(SharedCounts, EvidenceIsTheQuotientOfTheFilesFigures) {
  for (const Check& check : checks_of(kCluster0)) {
    if (check.suspect != "path cnode2-001 - cnode2-004") continue;
    // 9.30 of 13.60, none, 8.47 of 13.60.
    EXPECT_THAT(check.measured, AllOf(HasSubstr("alltoall_perf N2 G1: 1 of 1 over it at 0.68 of 13.6"),
                                      HasSubstr("alltoall_perf N2 G4: 1 of 1 over it failed"),
                                      HasSubstr("sendrecv_perf N2 G1: 1 of 1 over it at 0.62 of 13.6")));
    return;
  }
  FAIL() << "not named";
}

TEST_F(SharedCounts, TheClusterWithoutSlowPairsPasses) {
  const auto checks = checks_of(kCluster1);
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_EQ(checks[0].verdict, Outcome::pass);
}

TEST_F(SharedCounts, AveragesOfTheLogsAreThoseOfTheirFooters) {
  int runs = 0;
  for (const char* folder : {"/nccl-pairwise/logs-cluster00", "/nccl-pairwise/logs-cluster01",
                             "/nccl-tests-logs"}) {
    const std::vector<std::string> files = world_.files.list(fabric_ + folder).value();
    for (const std::string& file : files) {
      if (!file.ends_with(".log")) continue;
      const std::vector<bench::NcclRun> all =
          bench::nccl_runs(read(std::string(folder) + "/" + file), file).value();
      for (const bench::NcclRun& run : all) {
        ++runs;
        EXPECT_TRUE(run.ended) << file << ":" << run.line;
        // Rows have two decimals, the footer is the mean before rounding.
        EXPECT_NEAR(run.measurement.average_busbw / 1e9, run.said_average, 0.006)
            << file << ":" << run.line;
        EXPECT_EQ(run.measurement.wrong, 0);
      }
    }
  }
  // Ten and four logs of two runs each; five collectives over ten hosts, with one and eight GPUs.
  EXPECT_EQ(runs, 38);
}

}  // namespace
}  // namespace topolaunch::launcher
