// SPDX-License-Identifier: Apache-2.0
#include "launcher/report/page/heat_map.h"

#include <gtest/gtest.h>

#include "launcher/report/page/chart.h"
#include "tests/topo/draw/sheets.h"
#include "topo/draw/svg.h"

namespace topolaunch::launcher::page {
namespace {

Pairs pairs_of(std::size_t n, double usual) {
  Pairs out;
  for (std::size_t i = 0; i < n; ++i) out.names.push_back(fmt::format("rank {}", i));
  out.values.assign(n, std::vector<double>(n, usual));
  for (std::size_t i = 0; i < n; ++i) out.values[i][i] = std::nan("");
  return out;
}

TEST(HeatMap, FindsWhatIsFarOffTheMedian) {
  Pairs pairs = pairs_of(8, 40e9);
  pairs.values[2][5] = 10e9;
  pairs.values[5][2] = 25e9;
  const auto odd = outliers(pairs);
  ASSERT_EQ(odd.size(), 2U);
  EXPECT_EQ(odd[0].row, 2U);
  EXPECT_EQ(odd[0].column, 5U);
  EXPECT_DOUBLE_EQ(odd[0].ratio, 0.25);
  EXPECT_DOUBLE_EQ(median_of(pairs), 40e9);
}

TEST(HeatMap, CountsLatencyTheOtherWayRound) {
  Pairs pairs = pairs_of(4, 5e-6);
  pairs.latency = true;
  pairs.values[0][1] = 20e-6;
  pairs.values[1][0] = 1e-6;
  const auto odd = outliers(pairs);
  ASSERT_EQ(odd.size(), 1U);
  EXPECT_EQ(odd[0].row, 0U);
}

TEST(HeatMap, KeepsTheWorstPairOfTwoHosts) {
  Pairs pairs = pairs_of(4, 40e9);
  pairs.values[0][3] = 10e9;
  const Pairs hosts = by_host(pairs, {"a", "a", "b", "b"});
  EXPECT_EQ(hosts.names, (std::vector<std::string>{"a", "b"}));
  EXPECT_DOUBLE_EQ(hosts.values[0][1], 10e9);
  EXPECT_DOUBLE_EQ(hosts.values[1][0], 40e9);
  EXPECT_DOUBLE_EQ(hosts.values[0][0], 40e9);
}

TEST(HeatMap, HasNoWordsOverWords) {
  for (const std::size_t n : {2U, 8U, 16U, 17U, 64U}) {
    Pairs pairs = pairs_of(n, 40e9);
    pairs.values[0][1] = 5e9;
    const auto seen = topo::draw::read_back(heat_map_svg(pairs, "Pairs", "x-"));
    ASSERT_FALSE(seen.words.empty());
    EXPECT_EQ(topo::draw::clash(seen), "") << n;
  }
}

TEST(HeatMap, StaysSmallAndFramesWhatIsSlow) {
  Pairs pairs = pairs_of(64, 40e9);
  pairs.values[0][1] = 5e9;
  const std::string svg = heat_map_svg(pairs, "Pairs <1>", "x-");
  EXPECT_LT(svg.size(), 150'000U);
  EXPECT_NE(svg.find("class=\"odd\""), std::string::npos);
  EXPECT_NE(svg.find("Pairs &lt;1&gt;"), std::string::npos);
}

TEST(Chart, HasNoWordsOverWordsAndTellsLinesApart) {
  std::vector<Series> series(3);
  for (std::size_t i = 0; i < series.size(); ++i) {
    series[i].name = fmt::format("series {}", i);
    series[i].stroke = static_cast<topo::draw::Stroke>(i);
    for (std::int64_t size = 8; size <= (std::int64_t{1} << 34); size *= 2) {
      series[i].points.emplace_back(size,
                                    1e6 * static_cast<double>(i + 1) * static_cast<double>(size));
    }
  }
  const std::string svg = topo::draw::svg_file(bandwidth_chart("Bandwidth", series));
  EXPECT_EQ(topo::draw::clash(topo::draw::read_back(svg)), "");
  EXPECT_NE(svg.find("class=\"l dash\""), std::string::npos);
}

TEST(Chart, LeavesOutWhatIsNoRate) {
  EXPECT_TRUE(
      bandwidth_chart("x", {{"a", topo::draw::Stroke::plain, true, {{8, 0}, {16, std::nan("")}}}})
          .shapes.empty());
  EXPECT_FALSE(
      bandwidth_chart("x", {{"a", topo::draw::Stroke::plain, true, {{8, 1e9}}}}).shapes.empty());
}

}  // namespace
}  // namespace topolaunch::launcher::page
