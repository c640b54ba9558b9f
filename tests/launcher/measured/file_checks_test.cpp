// SPDX-License-Identifier: Apache-2.0
#include "launcher/measured/file_checks.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>

#include "tests/launcher/example_host.h"

namespace topolaunch::launcher {
namespace {

using testing::HasSubstr;

/// The first check of a name; an empty one if there is none.
Check named(const std::vector<Check>& checks, const std::string& name) {
  for (const Check& check : checks) {
    if (check.name == name) return check;
  }
  return {};
}

class FileChecks : public testing::Test {
 protected:
  std::vector<Check> of(const std::vector<std::string>& files) {
    auto checks = check_files(files, {}, world_.outside());
    EXPECT_TRUE(checks) << (checks ? "" : checks.error().text());
    return checks.value_or(std::vector<Check>{});
  }
  /// A shared file's path, or nothing.
  std::string shared(const std::string& path) const {
    const char* folder = std::getenv("TOPOLAUNCH_SHARED");
    const std::string file = std::string(folder == nullptr ? "/nowhere" : folder) + path;
    return world_.files.exists(file) ? file : std::string();
  }
  TemporaryWorld world_;
};

std::string log_of(const std::string& devices, const std::string& rows, bool ended = true) {
  return "# Collective test starting: all_reduce_perf\n# nThread 1 nGpus 1 minBytes 8\n" + devices +
         rows + (ended ? "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 1\n" : "");
}
constexpr const char* kTwoDevices =
    "#  Rank  0 Group  0 Pid 1 on n1 device  0 [0000:18:00] H100\n"
    "#  Rank  1 Group  0 Pid 2 on n1 device  1 [0000:2a:00] H100\n";
constexpr const char* kRow =
    "   1024   256   float   sum   -1   9.0   1.0   1.0   0   9.0   1.0   1.0   0\n";

TEST_F(FileChecks, ASoundLogPasses) {
  const auto checks = of({world_.file("a.log", log_of(kTwoDevices, kRow))});
  EXPECT_EQ(named(checks, "ranks").verdict, Outcome::pass);
  EXPECT_EQ(named(checks, "devices").verdict, Outcome::pass);
  EXPECT_EQ(named(checks, "results").verdict, Outcome::pass);
}

TEST_F(FileChecks, TwoRanksOnOneDeviceAreNamed) {
  const std::string same =
      "#  Rank  0 Group  0 Pid 1 on n1 device  0 [0000:18:00] H100\n"
      "#  Rank  1 Group  0 Pid 2 on n1 device  0 [0000:18:00] H100\n";
  const Check check = named(of({world_.file("a.log", log_of(same, kRow))}), "devices");
  EXPECT_EQ(check.verdict, Outcome::fail);
  EXPECT_EQ(check.suspect, "ranks 0 and 1 are both on 0000:18:00 of n1");
}

TEST_F(FileChecks, ABusWithoutItsDomainIsNoAddress) {
  const auto devices = [&](const std::string& first, const std::string& second) {
    const std::string lines = "#  Rank  0 Pid 1 on n1 device " + first + " V100\n" +
                              "#  Rank  1 Pid 2 on n1 device " + second + " V100\n";
    return named(of({world_.file("a.log", log_of(lines, kRow))}), "devices");
  };
  EXPECT_EQ(devices("0 [0x00]", "1 [0x00]").verdict, Outcome::pass);
  const Check hidden = devices("0 [0x00]", "0 [0x00]");
  EXPECT_EQ(hidden.verdict, Outcome::could_not_test);
  EXPECT_THAT(hidden.suspect, HasSubstr("doesn't tell their addresses"));
  EXPECT_EQ(devices("0 [0x1b]", "0 [0x1b]").verdict, Outcome::fail);
  EXPECT_EQ(devices("0 [0x1b]", "0 [0x1c]").verdict, Outcome::pass);
}

TEST_F(FileChecks, MixedLinesOfSeveralWorldsAreOneFault) {
  const std::string device = "#  Rank  0 Group  0 Pid 1 on n1 device  0 [0000:18:00] H100\n";
  const std::string head = "# Collective test starting: all_reduce_perf\n# nThread 1 nGpus 1\n";
  const std::string end = "# Avg bus bandwidth    : 0\n";
  const auto checks = of({world_.file(
      "a.log", head + head + device + kRow + end + head + device + kRow + kRow + end + end)});
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_EQ(checks[0].verdict, Outcome::fail);
  EXPECT_EQ(checks[0].measured, "2 ranks call themselves rank 0");
  EXPECT_THAT(checks[0].source, HasSubstr("a.log:2"));
}

TEST_F(FileChecks, SeveralRunsOfOneRankAreWorldsOfOne) {
  const std::string lone =
      log_of("#  Rank  0 Group  0 Pid 1 on n1 device  0 [0000:18:00] H100\n", kRow);
  const auto checks = of({world_.file("a.log", lone + lone + lone)});
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_EQ(checks[0].verdict, Outcome::fail);
  EXPECT_THAT(checks[0].suspect, HasSubstr("3 worlds of one rank"));
}

TEST_F(FileChecks, ARunThatBrokeOffFails) {
  const std::string log = "# nThread 1 nGpus 1 minBytes 1024 maxBytes 4096 step: 2(factor)\n" +
                          std::string(kTwoDevices) + kRow;
  const Check cut = named(of({world_.file("a.log", log)}), "ended");
  EXPECT_EQ(cut.verdict, Outcome::fail);
  EXPECT_EQ(cut.measured, "broke off after 1 of 3 sizes, the last 1 KiB");
  EXPECT_EQ(cut.suspect, "it says no reason");
  const auto told = of({world_.file("b.log", log + "n1: Test NCCL failure x.cu:1\n")});
  EXPECT_EQ(named(told, "ended").verdict, Outcome::fail);
  EXPECT_THAT(named(told, "ended").suspect, HasSubstr("n1: Test NCCL failure"));
}

TEST_F(FileChecks, ARowThatCannotBeReadIsToldAndTheRestJudged) {
  const std::string odd = "   2048   512   float   sum   -1   9.0   1.0\n";
  const auto checks = of({world_.file("a.log", log_of(kTwoDevices, odd + kRow))});
  EXPECT_EQ(named(checks, "rows").verdict, Outcome::could_not_test);
  EXPECT_EQ(named(checks, "rows").measured, "1 of 2 rows can't be read");
  EXPECT_EQ(named(checks, "rows").suspect, "skipped: line 5");
  EXPECT_EQ(named(checks, "results").verdict, Outcome::pass);
}

TEST_F(FileChecks, ALogThatCallsItselfFailedFails) {
  const auto checks = of({world_.file(
      "a.log", log_of(kTwoDevices, kRow, false) +
                   "# Out of bounds values : 1 FAILED\n# Avg bus bandwidth    : 1\n")});
  EXPECT_THAT(checks, testing::Contains(testing::Field(&Check::measured, HasSubstr("FAILED"))));
}

TEST_F(FileChecks, PairsAcrossLeavesAreHeldAgainstTheirOwnKind) {
  // Six hosts under one leaf, two under another: all paths of the two but one go across.
  std::string table = "latency_us,a,b,c,d,e,f,g,h\n";
  for (char row = 'a'; row <= 'h'; ++row) {
    table += row;
    for (char column = 'a'; column <= 'h'; ++column) {
      const bool across = (row < 'g') != (column < 'g');
      table += row == column ? "," : across ? ",4.0" : ",2.0";
    }
    table += "\n";
  }
  const auto sound = of({world_.file("a.csv", table)});
  EXPECT_EQ(named(sound, "pairs").verdict, Outcome::pass) << named(sound, "pairs").suspect;
  EXPECT_THAT(named(sound, "leaves").measured, HasSubstr("2 groups of hosts (6 hosts, g h)"));
  // A host that is slow on both kinds of path is still found.
  std::string slow = table;
  for (std::size_t at = slow.find("\nc,") + 3; slow[at] != '\n'; ++at) {
    if (slow[at] == '2' || slow[at] == '4') slow[at] = slow[at] == '2' ? '6' : '8';
  }
  EXPECT_EQ(named(of({world_.file("b.csv", slow)}), "pairs").verdict, Outcome::fail);
}

TEST_F(FileChecks, AFactorOfOtherRanksIsNotThatOfTheList) {
  // busbw as algbw: pairs, not eight ranks.
  std::string devices;
  for (int rank = 0; rank < 8; ++rank)
    devices += "#  Rank  " + std::to_string(rank) + " Group  0 Pid 1" + std::to_string(rank) +
               " on n1 device  " + std::to_string(rank) + " [0000:1" + std::to_string(rank) + ":00] H100\n";
  const std::string row = "   67108864   256   float   sum   -1   9.0   100.0   100.0   0   9.0   100.0   100.0   0\n";
  const auto checks = of({world_.file("split.log", log_of(devices, row))});
  const auto at = std::ranges::find_if(checks, [](const Check& c) { return c.verdict == Outcome::could_not_test; });
  ASSERT_NE(at, checks.end());
  EXPECT_EQ(at->measured, "busbw is 1.000 of algbw, allreduce over 8 ranks has 1.750");
  EXPECT_THAT(at->suspect, HasSubstr("2 ranks would fit: groups of so many"));
}

TEST_F(FileChecks, MixedLinesOfTwoRunsAreNoWorldsOfOne) {
  const std::string mixed = std::string(kTwoDevices) +
                            "#  Rank  0 Group  0 Pid 8 on n2 device  0 [0000:18:00] H100\n"
                            "#  Rank  1 Group  0 Pid 9 on n2 device  1 [0000:2a:00] H100\n";
  const Check ranks = named(of({world_.file("mixed.log", log_of(mixed, kRow))}), "ranks");
  EXPECT_EQ(ranks.verdict, Outcome::could_not_test);
  EXPECT_THAT(ranks.measured, HasSubstr("the lines of 2 runs are mixed"));
}

TEST_F(FileChecks, TwoRunsOverOnePairAreNoTableOfPairs) {
  const std::string two = "#  Rank  0 Group  0 Pid 1 on n1 device  0 [0000:18:00] H100\n"
                          "#  Rank  1 Group  0 Pid 2 on n2 device  0 [0000:18:00] H100\n";
  const auto checks = of({world_.file("a.log", log_of(two, kRow) + log_of(two, kRow))});
  EXPECT_TRUE(named(checks, "pairs").name.empty());
}

TEST_F(FileChecks, ASlowHostIsFoundAtItsSizeAlone) {
  std::string table = "src,dst,bytes,bytes_per_second\n";
  for (const char a : std::string("abcdefgh"))
    for (const char b : std::string("abcdefgh")) {
      if (a == b) continue;
      const std::string pair = {a, ',', b, ','};
      table += pair + "1024,4e8\n" + pair + "1073741824," + (a == 'd' || b == 'd' ? "24e9\n" : "48e9\n");
    }
  const Check pairs = named(of({world_.file("p.csv", table)}), "pairs");
  EXPECT_EQ(pairs.verdict, Outcome::fail);
  EXPECT_THAT(pairs.suspect, HasSubstr("host d"));
}

TEST_F(FileChecks, OneWayOfALinkIsNamed) {
  for (const bool sends : {true, false}) {
    std::string table = "GB/s,a,b,c,d,e,f,g,h\n";
    for (const char row : std::string("abcdefgh")) {
      table += row;
      for (const char column : std::string("abcdefgh"))
        table += row == column ? "," : (sends ? row : column) == 'd' ? ",24.1" : ",48." + std::string(1, static_cast<char>('1' + row % 3));
      table += "\n";
    }
    const Check pairs = named(of({world_.file("p.csv", table)}), "pairs");
    EXPECT_EQ(pairs.verdict, Outcome::fail);
    EXPECT_THAT(pairs.suspect, HasSubstr(sends ? "link of host d, sending" : "link of host d, receiving"));
  }
}

TEST_F(FileChecks, WhereMostPairsAreSlowNothingIsSaidToBeSound) {
  // Half of eight hosts at half rate: six of 28 pairs are as fast as they should be.
  std::string table = "GB/s,a,b,c,d,e,f,g,h\n";
  for (const char row : std::string("abcdefgh")) {
    table += row;
    for (const char column : std::string("abcdefgh"))
      table += row == column ? "," : row < 'e' && column < 'e' ? ",48" : ",24";
    table += "\n";
  }
  const Check pairs = named(of({world_.file("p.csv", table)}), "pairs");
  EXPECT_EQ(pairs.verdict, Outcome::could_not_test);
  EXPECT_THAT(pairs.suspect, HasSubstr("far above the others"));
}

TEST_F(FileChecks, TotalsOfJsonCount) {
  const auto json = [](const std::string& totals) {
    return R"({"version": 3, "config": {"minimum_bytes": 1024, "maximum_bytes": 1024, "devices": [
      {"rank": 0, "hostname": "n1", "device": 0, "device_hex": "0000:18:00"}, {"rank": 1, "hostname": "n1", "device": 1, "device_hex": "0000:2a:00"}]},
      "args": ["all_reduce_perf"], "results": [{"size": 1024, "count": 256, "type": "float", "redop": "sum", "root": "-1",
      "out_of_place": {"time": 9, "alg_bw": 1, "bus_bw": 1, "nwrong": 0}, "in_place": {"time": 9, "alg_bw": 1, "bus_bw": 1, "nwrong": 0}}])" + totals + "}";
  };
  const auto worst = [&](const std::string& totals) {
    for (const Check& check : of({world_.file("m.json", json(totals))}))
      if (check.verdict == Outcome::fail) return check.name;
    return std::string("none");
  };
  EXPECT_EQ(worst(R"(, "out_of_bounds": {"count": 0, "okay": "true"}, "average_bus_bandwidth": {"bandwidth": 1})"), "none");
  EXPECT_EQ(worst(R"(, "out_of_bounds": {"count": 4, "okay": false}, "average_bus_bandwidth": {"bandwidth": 1})"), "results");
  EXPECT_EQ(worst(""), "ended");
}

TEST_F(FileChecks, PairsWithoutAFigureAreCounted) {
  const Check check = named(of({world_.file("a.csv",
                                            "GB/s,a,b,c,d\na,,9,9,\nb,9,,9,9\nc,9,9,,9\n"
                                            "d,,9,9,\n")}),
                            "missing");
  EXPECT_EQ(check.verdict, Outcome::could_not_test);
  EXPECT_EQ(check.measured, "pairs without a figure: bandwidth: 1 of 6");
  EXPECT_EQ(check.suspect, "not measured: a - d");
}

TEST_F(FileChecks, WhatIsNoMeasurementIsRefused) {
  for (const char* text : {"hello", "{\"a\": 1}", ""}) {
    const auto checks = check_files({world_.file("x", text)}, {}, world_.outside());
    ASSERT_FALSE(checks) << text;
    EXPECT_EQ(checks.error().code, Code::invalid_input);
  }
  EXPECT_EQ(check_files({"/no/such/file"}, {}, world_.outside()).error().code, Code::invalid_input);
}

TEST_F(FileChecks, WhatIsNoMeasurementIsPassedOverInAFolderAndNamed) {
  world_.file("logs/README", "How it was measured.\n");
  world_.file("logs/a.log", log_of(kTwoDevices, kRow));
  world_.file("logs/topology.conf", "SwitchName=s1 Nodes=a,b\n");
  const auto checks = of({world_.folder() + "/logs"});
  EXPECT_EQ(named(checks, "results").verdict, Outcome::pass);
  const Check others = named(checks, "files");
  EXPECT_EQ(others.verdict, Outcome::not_applicable);
  EXPECT_EQ(others.measured, "1 of 3 files hold a measurement");
  EXPECT_THAT(others.suspect, testing::AllOf(HasSubstr("README (text without figures)"),
                                             HasSubstr("topology.conf (a topology: Slurm's")));
}

TEST_F(FileChecks, AFolderWithoutAMeasurementOrWithADamagedOneIsRefused) {
  const auto refusal = [&](const std::string& folder) {
    const auto checks = check_files({world_.folder() + folder}, {}, world_.outside());
    EXPECT_FALSE(checks);
    if (checks) return std::string();
    EXPECT_EQ(checks.error().code, Code::invalid_input);
    return checks.error().text();
  };
  world_.file("none/README", "How it was measured.\n");
  EXPECT_THAT(refusal("/none"), HasSubstr("no measurement in this folder: README (text"));
  world_.file("cut/a.log", log_of(kTwoDevices, kRow));
  world_.file("cut/b.json", "{\"config\": {},\n\"results\": [");
  EXPECT_THAT(refusal("/cut"), HasSubstr("b.json:2: not valid JSON"));
}

#define SHARED_OR_SKIP(name, path)       \
  const std::string name = shared(path); \
  if (name.empty()) GTEST_SKIP() << "no shared files here (TOPOLAUNCH_SHARED)"

TEST_F(FileChecks, SharedLogsSayWhatIsWrongWithThem) {
  SHARED_OR_SKIP(folder, "/samples/measured");
  const auto healthy = of({folder + "/all_reduce_perf-2x8-healthy.txt"});
  EXPECT_THAT(named(healthy, "ranks").measured, HasSubstr("16 ranks on 2 hosts"));
  EXPECT_THAT(named(healthy, "speed").measured, HasSubstr("394 GB/s busbw at 8 GiB"));
  EXPECT_EQ(named(healthy, "results").verdict, Outcome::pass);
  EXPECT_THAT(named(of({folder + "/all_reduce_perf-2x8-healthy.json"}), "speed").measured,
              HasSubstr("8 GiB"));
  for (const char* worlds :
       {"/all_reduce_perf-4-worlds-of-1.txt", "/all_reduce_perf-4-worlds-of-1-mixed.txt"}) {
    const auto checks = of({folder + worlds});
    EXPECT_EQ(named(checks, "ranks").verdict, Outcome::fail) << worlds;
    EXPECT_THAT(named(checks, "ranks").suspect, HasSubstr("4 worlds of one rank")) << worlds;
    EXPECT_EQ(checks.size(), 1u) << worlds;
  }
  const auto wrong = of({folder + "/all_reduce_perf-1x8-wrong-values.txt"});
  EXPECT_EQ(named(wrong, "results").verdict, Outcome::fail);
  EXPECT_THAT(named(wrong, "results").measured, HasSubstr("1500012 wrong"));
  EXPECT_EQ(named(wrong, "results").suspect,
            "12 wrong at 128 MiB, in place; 1500000 wrong at 1 GiB, out of place");
  const auto broken = of({folder + "/all_reduce_perf-2x8-broken-off.txt"});
  EXPECT_THAT(named(broken, "ended").measured, HasSubstr("6 of 14 sizes, the last 32 MiB"));
  EXPECT_THAT(named(broken, "ended").suspect, HasSubstr("lk02"));
}

TEST_F(FileChecks, RealLogsOfTenHostsAreRead) {
  SHARED_OR_SKIP(file, "/fixtures/fabric/nccl-tests-logs/xxrjun-cluster01-nccl_N10_G8.log");
  const auto checks = of({file});
  int runs = 0;
  for (const Check& check : checks) {
    runs += check.name == "ranks" ? 1 : 0;
    EXPECT_NE(check.verdict, Outcome::fail) << check.name << check.suspect;
  }
  EXPECT_EQ(runs, 5);
  EXPECT_EQ(named(checks, "ranks").measured, "80 ranks on 10 hosts");
}

TEST_F(FileChecks, LogsOfPairsInAFolderAreOneTable) {
  SHARED_OR_SKIP(folder, "/fixtures/fabric/nccl-pairwise/logs-cluster00");
  const auto checks = of({folder});
  // Ten logs of pairs that were all well.
  EXPECT_EQ(named(checks, "pairs").verdict, Outcome::pass);
}

}  // namespace
}  // namespace topolaunch::launcher
