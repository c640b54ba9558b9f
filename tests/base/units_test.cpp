// SPDX-License-Identifier: Apache-2.0
#include "base/units.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace topolaunch {
namespace {

TEST(Bytes, ReadsPowersOf1024AndOf1000) {
  const std::vector<std::pair<std::string, std::int64_t>> table{{"0", 0},
                                                                {"4096", 4096},
                                                                {"64K", 65536},
                                                                {"64k", 65536},
                                                                {"64KiB", 65536},
                                                                {"64 KiB", 65536},
                                                                {"64kB", 64000},
                                                                {"1M", 1 << 20},
                                                                {"2GB", 2000000000},
                                                                {"1.5GiB", 1610612736},
                                                                {" 8G ", 8589934592},
                                                                {"1T", 1099511627776},
                                                                {"12b", 12},
                                                                {"1P", 1125899906842624}};
  for (const auto& [text, bytes] : table) {
    const auto read = parse_bytes(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(read->count(), bytes) << text;
  }
}

TEST(Bytes, RefusesWhatIsNoSize) {
  for (const std::string text : {"", " ", "K", "-1", "-0", "1 2", "1X", "1KiBs", "0x10", "1e3",
                                 "nan", "inf", "1EiB", "10000P", "1kib/s", ".", "+5", "1,5G"}) {
    const auto read = parse_bytes(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, Code::wrong_usage);
    EXPECT_FALSE(read.error().next.empty());
  }
}

TEST(Bandwidth, TellsBitsFromBytes) {
  const std::vector<std::pair<std::string, double>> table{
      {"200Mb/s", 25e6},   {"200mbit", 25e6},     {"25GB/s", 25e9},       {"400Gb/s", 50e9},
      {"100Gbit", 12.5e9}, {"100Gbit/s", 12.5e9}, {"100Gbits/s", 12.5e9}, {"10GBps", 10e9},
      {"10Gbps", 1.25e9},  {"8b/s", 1},           {"1KiB/s", 1024},       {"0.5 GB/s", 5e8},
      {"1TB/s", 1e12}};
  for (const auto& [text, rate] : table) {
    const auto read = parse_bandwidth(text);
    ASSERT_TRUE(read) << text;
    EXPECT_DOUBLE_EQ(read->bytes_per_second(), rate) << text;
  }
}

TEST(Bandwidth, WantsAUnitAndARate) {
  for (const std::string text :
       {"", "100", "100G", "200Gb", "0Gb/s", "-1Gb/s", "Gb/s", "1Qb/s", "1 m/s"}) {
    EXPECT_FALSE(parse_bandwidth(text)) << text;
  }
  EXPECT_FALSE(parse_bandwidth(std::string(300, '9') + "TB/s")) << "overflows";
}

TEST(Bandwidth, DividesBytesIntoSeconds) {
  const Seconds t = Bytes::mib(1) / Bandwidth::gigabytes_per_second(1.048576);
  EXPECT_DOUBLE_EQ(t.count(), 1e-3);
  EXPECT_FALSE(Bandwidth().known());
  EXPECT_DOUBLE_EQ((Bandwidth::gigabits_per_second(400) * 0.5).gigabytes_per_second(), 25);
}

TEST(Duration, ReadsPlainUnitsAndClockForms) {
  const std::vector<std::pair<std::string, double>> table{
      {"90", 90},       {"90s", 90},       {"90 s", 90},           {"5m", 300},   {"1h30m", 5400},
      {"1h 30m", 5400}, {"00:05:00", 300}, {"1-12:00:00", 129600}, {"5:30", 330}, {"250ms", 0.25},
      {"0", 0},         {"2d", 172800},    {"1.5h", 5400},         {"10us", 1e-5}};
  for (const auto& [text, seconds] : table) {
    const auto read = parse_duration(text);
    ASSERT_TRUE(read) << text;
    EXPECT_DOUBLE_EQ(read->count(), seconds) << text;
  }
}

TEST(Duration, RefusesWhatIsNoDuration) {
  for (const std::string text : {"", "x", "-5", "5x", "1:2:3:4", "1:", ":1", "1-2", "1--2:3", "5 5",
                                 "1:-2", "1e99", "99999999999999"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(Units, WordsAreShortAndNeverHaveAnExponent) {
  EXPECT_EQ(to_text(Bytes(0)), "0 B");
  EXPECT_EQ(to_text(Bytes(1023)), "1023 B");
  EXPECT_EQ(to_text(Bytes::mib(4)), "4 MiB");
  EXPECT_EQ(to_text(Bytes(1536)), "1.5 KiB");
  EXPECT_EQ(to_text(Bytes(-5000)), "-4.88 KiB");
  EXPECT_EQ(to_text(Bandwidth::gigabytes_per_second(25)), "25 GB/s");
  EXPECT_EQ(to_text(Bandwidth::gigabytes_per_second(1999.7)), "2000 GB/s");
  EXPECT_EQ(to_text(Bandwidth::bytes_per_second(999.9e6)), "1000 MB/s");
  EXPECT_EQ(to_text(Seconds(1.25e-3)), "1.25 ms");
  EXPECT_EQ(to_text(Seconds(0.9999)), "1000 ms");
  EXPECT_EQ(to_text(Seconds(3e-9)), "3 ns");
  EXPECT_EQ(to_text(Seconds(200)), "3 min 20 s");
  EXPECT_EQ(to_text(Seconds(7260)), "2 h 1 min");
  EXPECT_EQ(to_text(Seconds(0)), "0 s");
}

TEST(Units, WordsExistForWhatIsNoFiniteTime) {
  EXPECT_EQ(to_text(Seconds(std::numeric_limits<double>::infinity())), "for ever");
  EXPECT_EQ(to_text(Seconds(std::numeric_limits<double>::quiet_NaN())), "unknown");
}

}  // namespace
}  // namespace topolaunch
