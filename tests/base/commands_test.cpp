// SPDX-License-Identifier: Apache-2.0
#include "base/commands.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace topolaunch {
namespace {

namespace fs = std::filesystem;

Result<CommandOutput> shell(const std::string& script, Seconds deadline = Seconds(20)) {
  return SystemCommands().run({"sh", "-c", script}, deadline);
}

TEST(Commands, GiveOutputErrorsAndStatusApart) {
  const auto output = shell("echo out; echo err >&2; exit 3");
  ASSERT_TRUE(output) << output.error().text();
  EXPECT_EQ(output->out, "out\n");
  EXPECT_EQ(output->err, "err\n");
  EXPECT_EQ(output->status, 3);
}

TEST(Commands, CountASignalAsTheShellDoes) { EXPECT_EQ(shell("kill -TERM $$")->status, 143); }

TEST(Commands, UseNoShellAndAnEmptyStdin) {
  EXPECT_EQ(SystemCommands().run({"printf", "%s", "$HOME * ;"}, Seconds(20))->out, "$HOME * ;");
  EXPECT_EQ(SystemCommands().run({"cat"}, Seconds(20))->out, "");
}

TEST(Commands, GetAllOfALongOutput) {
  const auto output = shell("head -c 3000000 /dev/zero; head -c 2000000 /dev/zero >&2");
  ASSERT_TRUE(output);
  EXPECT_EQ(output->out.size(), 3000000U);
  EXPECT_EQ(output->err.size(), 2000000U);
}

TEST(Commands, EndAProgramAtItsDeadlineWithAllOfItsGroup) {
  for (const std::string script :
       {"sleep 1000", "sleep 1000 & sleep 1000", "trap '' TERM INT; while :; do sleep 1; done",
        "exec >&- 2>&-; sleep 1000"}) {
    const auto output = shell(script, Seconds(0.2));
    ASSERT_FALSE(output) << script;
    EXPECT_EQ(output.error().code, Code::try_again) << script;
  }
}

TEST(Commands, DoNotWaitForADaemonThatHoldsThePipe) {
  const auto output = shell("sleep 30 & echo started $!");
  ASSERT_TRUE(output) << output.error().text();
  EXPECT_EQ(output->out.substr(0, 8), "started ");
  ::kill(static_cast<pid_t>(std::stol(output->out.substr(8))), SIGKILL);
}

TEST(Commands, EndAProgramThatPrintsWithoutEnd) {
  const auto output = SystemCommands().run({"cat", "/dev/zero"}, Seconds(100));
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, Code::unavailable);
}

TEST(Commands, StartWithSignalsAsAFreshProgramExpects) {
  struct sigaction old {};
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &old);
  sigset_t block;
  sigset_t before;
  ::sigemptyset(&block);
  ::sigaddset(&block, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &block, &before);
  const auto output =
      SystemCommands().run({"grep", "-E", "^Sig(Blk|Ign):", "/proc/self/status"}, Seconds(20));
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  ::sigaction(SIGPIPE, &old, nullptr);
  ASSERT_TRUE(output);
  // glibc itself ignores 32 and 33 around posix_spawn: bits 31 and 32 are left out.
  std::string seen = output->out;
  for (const std::string own : {"180000000\n", "000000000\n"}) {
    if (seen.ends_with(own)) seen.replace(seen.size() - own.size(), own.size(), "GLIBC\n");
  }
  EXPECT_EQ(seen, "SigBlk:\t0000000000000000\nSigIgn:\t0000000GLIBC\n");
}

TEST(Commands, TellNotFoundFromNotExecutable) {
  EXPECT_EQ(SystemCommands().run({"topolaunch-no-such-program"}, Seconds(1)).error().code,
            Code::not_found);
  EXPECT_EQ(SystemCommands().run({"/etc/passwd"}, Seconds(1)).error().code, Code::not_executable);
  EXPECT_EQ(SystemCommands().run({}, Seconds(1)).error().code, Code::wrong_usage);
}

class FindExecutable : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "topolaunch-path-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder = name;
    for (const char* sub : {"one", "two"}) fs::create_directories(folder / sub);
    for (const char* file : {"one/plain", "two/plain", "two/tool"})
      std::ofstream(folder / file) << "#!/bin/sh\n";
    ::chmod((folder / "two/tool").c_str(), 0755);
    ::chmod((folder / "two/plain").c_str(), 0755);
    fs::create_directories(folder / "one/tool");  // a folder of that name is no program
    path = (folder / "one").string() + ":" + (folder / "two").string();
  }
  void TearDown() override { fs::remove_all(folder); }
  fs::path folder;
  std::string path;
};

TEST_F(FindExecutable, TakesTheFirstThatCanBeExecuted) {
  EXPECT_EQ(*find_executable("tool", path), (folder / "two/tool").string());
  EXPECT_EQ(*find_executable("plain", path), (folder / "two/plain").string());
}

TEST_F(FindExecutable, TellsMissingFromNotExecutable) {
  EXPECT_EQ(find_executable("none", path).error().code, Code::not_found);
  EXPECT_EQ(find_executable("plain", (folder / "one").string()).error().code, Code::not_executable);
  EXPECT_EQ(find_executable((folder / "one/plain").string(), "").error().code,
            Code::not_executable);
  EXPECT_EQ(find_executable("./none", path).error().code, Code::not_found);
  EXPECT_EQ(find_executable("", path).error().code, Code::wrong_usage);
  EXPECT_FALSE(find_executable("none", path).error().next.empty());
}

TEST(ShellQuoted, IsReadBackByTheShellAsTheSameWords) {
  const std::vector<std::vector<std::string>> lists{
      {"plain", "words-and/paths.x"},
      {"", "a b", "it's", "\"q\"", "$HOME `x` \\ !"},
      {"new\nline\ttab", "*?[a]", "~", "#c", "a;b|c&d", "(x)"},
      {"A=b", "C=d"},
      {"gr\xc3\xbc\xc3\x9f"}};
  for (const auto& words : lists) {
    std::vector<std::string> argv{"printf", "[%s]"};
    argv.insert(argv.end(), words.begin(), words.end());
    const auto output = shell(shell_quoted(argv));
    ASSERT_TRUE(output);
    std::string expected;
    for (const auto& word : words) expected += "[" + word + "]";
    EXPECT_EQ(output->out, expected);
    const auto back = shell_words(shell_quoted(words));
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, words);
  }
  EXPECT_EQ(shell_quoted({"A=b", "C=d"}), "'A=b' C=d") << "the first would be an assignment";
  EXPECT_EQ(shell_quoted({"mpirun", "-n", "2"}), "mpirun -n 2");
}

TEST(ShellWords, SplitsAsAPosixShell) {
  EXPECT_EQ(*shell_words("  a 'b c'  \"d\\\"e\" f\\ g  "),
            (std::vector<std::string>{"a", "b c", "d\"e", "f g"}));
  EXPECT_EQ(*shell_words("a''b \"\" x\\\ny"), (std::vector<std::string>{"ab", "", "xy"}));
  EXPECT_EQ(*shell_words("\"a\\nb\" '\\'"), (std::vector<std::string>{"a\\nb", "\\"}));
  EXPECT_TRUE(shell_words(" \t\n ")->empty());
  EXPECT_EQ(shell_words("a 'b").error().code, Code::wrong_usage);
  EXPECT_EQ(shell_words("a \"b").error().code, Code::wrong_usage);
}

}  // namespace
}  // namespace topolaunch
