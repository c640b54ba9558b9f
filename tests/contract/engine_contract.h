// SPDX-License-Identifier: Apache-2.0
//
// What every Engine owes, whatever starts the ranks. An implementation is enrolled by its name.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "tests/launcher/engine/process.h"

namespace topolaunch::launcher::testing {

class EngineContract : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (std::string(GetParam()) == "mpirun" && !has_mpirun())
      GTEST_SKIP() << "no mpirun of Open MPI here";
  }
  Outcome run(int ranks, std::vector<std::string> options, const std::vector<std::string>& command,
              const std::string& input = {}) {
    options.insert(options.begin(), {"--summary", folder_.file("summary.json")});
    return Process(driver(GetParam(), ranks, std::move(options), command), {}, input).wait();
  }
  Json summary() const { return json_in(folder_.text("summary.json")); }
  Folder folder_;
};

inline std::multiset<std::string> lines_of(const std::string& text) {
  std::multiset<std::string> lines;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.insert(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

TEST_P(EngineContract, StartsEachRankOnceWithItsOwnVariables) {
  const Outcome outcome = run(3, {}, sh("echo $RANK of $WORLD_SIZE"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(lines_of(outcome.out), (std::multiset<std::string>{"0 of 3", "1 of 3", "2 of 3"}));
}

TEST_P(EngineContract, GivesTheRanksNoneOfItsOwnSecrets) {
  const Outcome outcome = run(2, {}, {"env"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out.find("TOPOLAUNCH_CONTROL"), std::string::npos) << outcome.out;
}

TEST_P(EngineContract, LeavesNoDescriptorOpenInARank) {
  // What this test was started with itself goes on to the ranks, as it would without topolaunch.
  std::set<std::string> inherited;
  const auto own = RootedFiles().list("/proc/self/fd");
  for (const std::string& fd : own ? *own : std::vector<std::string>()) {
    std::array<char, 256> target{};
    if (::readlink(("/proc/self/fd/" + fd).c_str(), target.data(), target.size() - 1) > 0) {
      inherited.insert(target.data());
    }
  }
  const Outcome outcome = run(2, {}, {"find", "/proc/self/fd", "-type", "l", "-printf", "%f %l\n"});
  for (const std::string& line : lines_of(outcome.out)) {
    const std::string target = line.substr(line.find(' ') + 1);
    if (line.find(' ') == 1 && line[0] < '3') continue;
    // Files are find's own; what topolaunch works with are these.
    for (const char* const kind : {"socket:", "pipe:", "anon_inode:", "/memfd:"}) {
      EXPECT_FALSE(target.starts_with(kind) && inherited.count(target) == 0) << line;
    }
  }
  EXPECT_GE(lines_of(outcome.out).size(), 6U);
}

TEST_P(EngineContract, ReportsTheStatusOfTheFirstFailingRankAndStopsTheOthers) {
  const Outcome outcome =
      run(3, {"--grace", "5"}, sh("if [ $RANK = 1 ]; then exit 7; fi; exec sleep 300"));
  EXPECT_EQ(outcome.status, 7) << outcome.err;
  EXPECT_EQ(summary()["ended_by"], "job");
  EXPECT_EQ(summary()["first_failure"]["rank"], 1);
  EXPECT_NE(outcome.err.find("rank 1"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("exited with status 7"), std::string::npos) << outcome.err;
  EXPECT_EQ(summary()["ranks"][0]["ended_by_us"], true) << summary().dump();
}

TEST_P(EngineContract, NeverCallsAFailureSuccess) {
  const Outcome outcome = run(2, {}, sh("exit 3"));
  EXPECT_EQ(outcome.status, 3) << outcome.err;
}

TEST_P(EngineContract, NamesTheSignalThatKilledARank) {
  const Outcome outcome =
      run(2, {"--grace", "5"}, sh("if [ $RANK = 1 ]; then kill -SEGV $$; fi; exec sleep 300"));
  EXPECT_EQ(outcome.status, 139) << outcome.err;
  EXPECT_NE(outcome.err.find("rank 1"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("SIGSEGV"), std::string::npos) << outcome.err;
}

TEST_P(EngineContract, TellsACommandThatCannotBeStartedFromAFailingJob) {
  EXPECT_EQ(run(2, {}, {"/no/such/program"}).status, 127);
  EXPECT_EQ(run(2, {}, {"/etc/passwd"}).status, 126);
  EXPECT_EQ(folder_.text("summary.json"), "") << "no job has run, so none has ended";
}

TEST_P(EngineContract, EndsTheJobAtItsTimeLimitWith124) {
  const Outcome outcome = run(2, {"--limit", "0.5", "--grace", "5"}, {"sleep", "300"});
  EXPECT_EQ(outcome.status, 124) << outcome.err;
  EXPECT_EQ(summary()["ended_by"], "time_limit");
}

TEST_P(EngineContract, KillsWhatIgnoresSigtermAfterTheGrace) {
  const Outcome outcome =
      run(2, {"--limit", "0.3", "--grace", "0.5"}, sh("trap '' TERM; while :; do sleep 0.1; done"));
  EXPECT_EQ(outcome.status, 124) << outcome.err;
}

TEST_P(EngineContract, SendsASignalToEveryRankAtOnce) {
  Process process(
      driver(GetParam(), 3, {},
             sh("trap 'echo usr1 $RANK; exit 0' USR1; echo ready; while :; do sleep 0.05; done")));
  ASSERT_TRUE(process.until("ready\nready\nready\n"));
  process.signal(SIGUSR1);
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* const line : {"usr1 0", "usr1 1", "usr1 2"}) {
    EXPECT_EQ(lines_of(outcome.out).count(line), 1U) << outcome.out;
  }
}

TEST_P(EngineContract, EndsWith130AfterCtrlCAnd143AfterSigterm) {
  for (const auto& [signal, status] : {std::pair(SIGINT, 130), std::pair(SIGTERM, 143)}) {
    Process process(driver(GetParam(), 2, {"--grace", "5"}, sh("echo ready; exec sleep 300")));
    ASSERT_TRUE(process.until("ready\nready\n"));
    process.signal(signal);
    EXPECT_EQ(process.wait().status, status);
  }
}

TEST_P(EngineContract, KillsAtOnceAtTheSecondCtrlC) {
  Process process(driver(GetParam(), 2, {"--grace", "100"},
                         sh("trap '' INT TERM; echo ready; while :; do sleep 0.1; done")));
  ASSERT_TRUE(process.until("ready\nready\n"));
  process.signal(SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  process.signal(SIGINT);
  EXPECT_EQ(process.wait(20).status, 130);
}

TEST_P(EngineContract, GivesStdinToRank0Alone) {
  const Outcome outcome = run(2, {"--tag"}, sh("echo got $(cat)"), "hello\n");
  EXPECT_EQ(lines_of(outcome.out), (std::multiset<std::string>{"[0] got hello", "[1] got"}));
}

TEST_P(EngineContract, KeepsOutputByteForByte) {
  // No newline at the end, a NUL byte, bytes that are no UTF-8.
  const Outcome outcome =
      run(1, {"--log-dir", folder_.file("logs")}, sh("printf 'a\\0b\\377\\nend'; printf err >&2"));
  EXPECT_EQ(outcome.out, std::string("a\0b\377\nend", 8));
  EXPECT_EQ(folder_.text("logs/rank-0.out"), outcome.out);
  EXPECT_EQ(folder_.text("logs/rank-0.err"), "err");
  EXPECT_NE(outcome.err.find("err"), std::string::npos);
}

TEST_P(EngineContract, NeverTearsALine) {
  const Outcome outcome =
      run(4, {"--tag"},
          sh("for i in $(seq 200); do printf \"%s-%03000d-\" $RANK $i; printf 'end\\n'; done"));
  EXPECT_EQ(outcome.status, 0);
  std::size_t lines = 0;
  for (const std::string& line : lines_of(outcome.out)) {
    ++lines;
    ASSERT_EQ(line.size(), 4U + 2 + 3000 + 1 + 3) << line.substr(0, 100);
    ASSERT_EQ(line.substr(1, 1), line.substr(4, 1)) << "tag and text are of one rank";
  }
  EXPECT_EQ(lines, 800U);
}

TEST_P(EngineContract, CarriesLinesOfAMegabyte) {
  const Outcome outcome = run(2, {}, sh("head -c 1000000 /dev/zero | tr '\\0' $RANK; echo"));
  EXPECT_EQ(lines_of(outcome.out),
            (std::multiset<std::string>{std::string(1000000, '0'), std::string(1000000, '1')}));
}

TEST_P(EngineContract, DoesNotWaitForAGrandchildThatHoldsTheOutput) {
  const std::string mark = "TL_TEST_MARK=held" + std::to_string(::getpid());
  Process process(
      driver(GetParam(), 2, {"--grace", "2"}, sh("(trap '' TERM; sleep 300) & disown; echo done")),
      {{"TL_TEST_MARK", mark.substr(13)}});
  const Outcome outcome = process.wait(20);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(none_left(mark, 1));
}

TEST_P(EngineContract, LeavesNothingBehindWhenItIsKilled) {
  const std::string mark = "TL_TEST_MARK=kill" + std::to_string(::getpid());
  // A child that is forked twice, has a session of its own, and ignores SIGTERM.
  Process process(driver(GetParam(), 2, {},
                         sh("trap '' TERM; (setsid bash -c 'trap \"\" TERM; while :; do sleep 0.1; "
                            "done' &) ; echo ready; while :; do sleep 0.1; done")),
                  {{"TL_TEST_MARK", mark.substr(13)}});
  ASSERT_TRUE(process.until("ready\nready\n"));
  ASSERT_GE(processes_marked(mark).size(), 5U);
  process.signal(SIGKILL);
  EXPECT_TRUE(none_left(mark, 5));
}

TEST_P(EngineContract, ChecksInsideTheRankWhatItReallyGot) {
  run(2, {"--cpus", "0"}, {"true"});
  const Json seen = summary()["observations"];
  ASSERT_EQ(seen.size(), 2U);
  for (const Json& rank : seen) {
    EXPECT_EQ(rank["cpus"], "0");
    EXPECT_EQ(rank["problems"], Json::array()) << rank.dump();
    EXPECT_GT(rank["pid"].get<int>(), 0);
  }
}

TEST_P(EngineContract, SaysWhenARankCannotHaveItsPlace) {
  const Outcome outcome = run(1, {"--cpus", "4095"}, {"true"});
  EXPECT_EQ(outcome.status, 0) << "a rank that isn't in its place runs all the same";
  EXPECT_NE(summary()["observations"][0]["problems"].dump().find("4095"), std::string::npos);
}

}  // namespace topolaunch::launcher::testing
