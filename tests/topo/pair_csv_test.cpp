// SPDX-License-Identifier: Apache-2.0
#include "topo/pair_csv.h"

#include <gmock/gmock.h>

#include "tests/topo/facts.h"
#include "topo/csv_rows.h"
#include "topo/measured_unit.h"

namespace topolaunch::topo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<PairFact> read(const std::string& text) {
  auto facts = facts_from_pair_csv(text, "p.csv");
  EXPECT_TRUE(facts.has_value()) << facts.error().text();
  std::vector<PairFact> pairs;
  for (const auto& fact : *facts) {
    if (const auto* pair = std::get_if<PairFact>(&fact.what)) pairs.push_back(*pair);
  }
  return pairs;
}
Error refused(const std::string& text) {
  const auto facts = facts_from_pair_csv(text, "p.csv");
  return facts ? Error{} : facts.error();
}

TEST(PairCsv, ReadsAMatrixInItsUnit) {
  const auto pairs = read("GB/s,a,b\na,,48.5\nb,47,\n");
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].a, "a");
  EXPECT_EQ(pairs[0].b, "b");
  EXPECT_EQ(pairs[0].of, PairFact::Of::bandwidth);
  EXPECT_DOUBLE_EQ(pairs[0].value, 48.5e9);
  EXPECT_EQ(read(",a,b\na,0,3\nb,3,0\n")[0].of, PairFact::Of::distance);
}

TEST(PairCsv, ReadsWhatASpreadsheetMakesOfIt) {
  const auto pairs =
      read("\xEF\xBB\xBFLatenz (\xC2\xB5s);a;b;c\r\na;-;2,15;4,6\r\nb;2,16;-;\r\nc;4,7;4,8;-\r\n");
  ASSERT_EQ(pairs.size(), 5U);
  EXPECT_EQ(pairs[0].of, PairFact::Of::latency);
  EXPECT_DOUBLE_EQ(pairs[0].value, 2.15e-6);
}

TEST(PairCsv, ReadsARowAPair) {
  const auto pairs = read(
      "src,dst,bytes,bytes_per_second,samples\na,b,67108864,48000000000,9\nb,a,1,47000000000,9\n");
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_DOUBLE_EQ(pairs[1].value, 47e9);
  EXPECT_DOUBLE_EQ(read("to,from,latency_us\nx,y,3\n")[0].value, 3e-6);
  EXPECT_EQ(read("to,from,latency_us\nx,y,3\n")[0].a, "y");
}

TEST(PairCsv, ReadsSummariesOfTheTestWithMostPairs) {
  const std::string text =
      "file,test,N,G,nodes,minBytes,maxBytes,avg_bus_bw_GBs,peak_busbw_GBs\n"
      "f,all_reduce_perf,2,1,n[1-2],1,2,40.5,41\n"
      "f,all_reduce_perf,2,1,\"n[1,3]\",1,2,39.5,41\n"
      "f,sendrecv_perf,2,1,n[1-2],1,2,20,21\n"
      "f,all_reduce_perf,2,1,\"n[2,3]\",1,2,,\n"
      "f,all_reduce_perf,10,1,n[1-10],1,2,9,9\n";
  const auto pairs = read(text);
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_DOUBLE_EQ(pairs[0].value, 40.5e9);
  EXPECT_EQ(pairs[1].b, "n3");
  const auto topology = assembled(*facts_from_pair_csv(text, "p.csv"));
  EXPECT_EQ(count_of(topology, "measured-missing"), 1);
}

TEST(PairCsv, RefusesWithTheLine) {
  EXPECT_EQ(refused("GB/s,a,b\na,,1\n").line, 2);
  EXPECT_EQ(refused("GB/s,a,b\na,,1\nc,1,\n").line, 3);
  EXPECT_EQ(refused("GB/s,a,b\na,,1\na,1,\n").line, 3);
  EXPECT_EQ(refused("GB/s,a,b\na,,1\nb,1\n").line, 3);
  EXPECT_EQ(refused("GB/s,a,a\na,,1\n").line, 1);
  EXPECT_EQ(refused("src,dst,bytes_per_second\na,,1\n").line, 2);
  EXPECT_EQ(refused("nodes,busbw,x\nn[1-2,4\n").line, 2);
  EXPECT_THAT(refused("src,dst,bytes_per_second\na,b,-\n").message, HasSubstr("no pair"));
}

TEST(PairCsv, RefusesACellByLineAndColumn) {
  const auto bad = refused(",a,b\na,0,9\nb,zz,0\n");
  EXPECT_EQ(bad.line, 3);
  EXPECT_EQ(bad.message, "column 2 ('a'): 'zz' is no number");
  EXPECT_THAT(refused(",a,b\na,0,-9\nb,9,0\n").message, HasSubstr("column 3 ('b'): '-9'"));
  EXPECT_THAT(refused(",a,b\na,7,9\nb,9,0\n").message, HasSubstr("'a' is 7 away from itself"));
  EXPECT_THAT(refused("src,dst,bytes_per_second\na,b,fast\n").message,
              HasSubstr("column 3 ('bytes_per_second'): 'fast'"));
  EXPECT_THAT(refused(",a,b\na,0,x\nb,9,0\n").message, HasSubstr("column 3 ('b'): 'x'"));
  // What a host reaches with itself is no fault, and neither is a word there.
  EXPECT_EQ(read(",a,b\na,X,1\nb,1,X\n").size(), 2U);
  EXPECT_EQ(read("GB/s,a,b\na,900,1\nb,1,900\n").size(), 2U);
}

TEST(PairCsv, RecognisesItself) {
  EXPECT_TRUE(looks_like_pair_csv("GB/s,a,b\na,,1\nb,1,\n"));
  EXPECT_TRUE(looks_like_pair_csv("src,dst,bytes_per_second\na,b,1\n"));
  EXPECT_TRUE(looks_like_pair_csv(",a,b,c\na,0,x1,2\n"));
  EXPECT_TRUE(looks_like_pair_csv(",a,b\na,zz,yy\nb,9,0\n"));
  EXPECT_FALSE(looks_like_pair_csv("name,a,b\na,zz,yy\n"));
  EXPECT_FALSE(looks_like_pair_csv("name,index,uuid\nx,0,GPU-1\n"));
  EXPECT_FALSE(looks_like_pair_csv("hello\nworld\n"));
  EXPECT_FALSE(looks_like_pair_csv(""));
}

TEST(CsvRows, KeepsEmptyCellsAndQuotedCommas) {
  const auto table = csv_rows("\n# c\na,\"b,\"\"c\",\n\n,,x\n");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_THAT(table.rows[0].cells, ElementsAre("a", "b,\"c", ""));
  EXPECT_THAT(table.rows[1].cells, ElementsAre("", "", "x"));
  EXPECT_EQ(table.rows[1].line, 5);
}

TEST(CsvRows, ReadsADecimalCommaOnlyWhereItSeparatesNothing) {
  EXPECT_DOUBLE_EQ(*csv_number("4,57", ';'), 4.57);
  EXPECT_FALSE(csv_number("4,57", ',').has_value());
  EXPECT_FALSE(csv_number("-", ',').has_value());
  EXPECT_FALSE(csv_number("inf", ',').has_value());
  EXPECT_FALSE(csv_number("", ',').has_value());
}

TEST(MeasuredUnit, TellsBitsFromBytes) {
  EXPECT_DOUBLE_EQ(measured_unit("Gb/s")->factor, 1.25e8);
  EXPECT_DOUBLE_EQ(measured_unit("GB/s")->factor, 1e9);
  EXPECT_DOUBLE_EQ(measured_unit("avg_bus_bw_GBs")->factor, 1e9);
  EXPECT_EQ(measured_unit("latency_us")->of, PairFact::Of::latency);
  EXPECT_FALSE(measured_unit("host").has_value());
  const auto rate = [](const char* words) {
    const auto unit = measured_unit(words);
    return unit && unit->of == PairFact::Of::bandwidth ? unit->factor : -1;
  };
  EXPECT_DOUBLE_EQ(rate("MiB/s"), 1048576);
  EXPECT_DOUBLE_EQ(rate("kB/s"), 1e3);
  EXPECT_DOUBLE_EQ(rate("TB/s"), 1e12);
  EXPECT_DOUBLE_EQ(rate("gb/s"), 1e9);
  EXPECT_DOUBLE_EQ(rate("GBps"), 1e9);
  EXPECT_DOUBLE_EQ(rate("Gbps"), 1.25e8);
  EXPECT_DOUBLE_EQ(rate("speed (Mbit/s)"), 1.25e5);
  EXPECT_DOUBLE_EQ(rate("bytes_per_second"), 1);
  EXPECT_DOUBLE_EQ(rate("bits per second"), 0.125);
  EXPECT_DOUBLE_EQ(rate("busbw"), 1e9);
  EXPECT_DOUBLE_EQ(rate("B/s"), 1);
  for (const char* none : {"foo/s", "bytes", "samples", "tabs", "orbit", "bs", "steps"}) {
    EXPECT_FALSE(measured_unit(none).has_value()) << none;
  }
  EXPECT_DOUBLE_EQ(measured_unit("t (\xC2\xB5s)")->factor, 1e-6);
  EXPECT_DOUBLE_EQ(measured_unit("seconds")->factor, 1);
}

}  // namespace
}  // namespace topolaunch::topo
