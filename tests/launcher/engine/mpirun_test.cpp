// SPDX-License-Identifier: Apache-2.0
#include "launcher/engine/mpirun.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/clock.h"
#include "base/commands.h"

namespace topolaunch::launcher {
namespace {

TEST(Mpirun, ReadsBlame) {
  const auto exited = failure_in_mpirun_words("  Process name: [[24376,1],3]\n  Exit code:    7\n");
  ASSERT_TRUE(exited);
  EXPECT_EQ(*exited, std::pair(3, 7 << 8));
  const auto killed = failure_in_mpirun_words(
      "mpirun noticed that process rank 2 with PID 0 on node vm exited on signal 9 (Killed).");
  ASSERT_TRUE(killed);
  EXPECT_EQ(*killed, std::pair(2, 9));
  EXPECT_FALSE(failure_in_mpirun_words("no blame"));
}

TEST(Mpirun, TheUsersParametersStandAndNoneIsGivenTwice) {
  const RootedFiles files;
  const SystemCommands commands;
  const SystemClock clock;
  const Environment environment{{"PATH", "/usr/bin:/bin"}, {"SLURM_JOB_ID", "7"}};
  Plan plan;
  plan.id = "id";
  plan.hosts = {"localhost"};
  plan.ranks.resize(4096);  // more than there are CPUs
  for (RankPlan& rank : plan.ranks) rank.host = "localhost";
  const std::vector<std::string> names{"ras", "plm", "odls_base_sigkill_timeout",
                                       "mpi_yield_when_idle", "orte_tmpdir_base"};
  for (const std::string& name : names) {
    for (const std::string& word : {std::string("--mca"), name, std::string("mine")}) {
      plan.engine_args.push_back(word);
    }
  }
  const auto all = MpirunEngine().commands(plan, {files, commands, clock, environment});
  if (!all) GTEST_SKIP() << all.error().text();
  for (const std::string& name : names) {
    const auto& words = all->front();
    EXPECT_EQ(std::ranges::count(words, name), 1) << name;
    EXPECT_EQ(*(std::ranges::find(words, name) + 1), "mine") << name;
  }
}

TEST(Mpirun, LooksAtWhatItHasAUseForUnlessTheUserSaysOtherwise) {
  const RootedFiles files;
  const SystemCommands commands;
  const SystemClock clock;
  Plan plan;
  plan.id = "id";
  plan.hosts = {"localhost"};
  plan.ranks.resize(1);
  plan.ranks.front().host = "localhost";
  const auto given = [&](const Environment& environment) {
    const auto all = MpirunEngine().commands(plan, {files, commands, clock, environment});
    if (!all) return all.error().text();
    const auto& words = all->front();
    const auto at = std::ranges::find_if(
        words, [](const auto& word) { return word.starts_with("HWLOC_COMPONENTS="); });
    return at == words.end() ? "nothing" : *at;
  };
  const std::string word = given({{"PATH", "/usr/bin:/bin"}});
  if (!word.starts_with("HWLOC")) GTEST_SKIP() << word;
  EXPECT_EQ(word, "HWLOC_COMPONENTS=-gl,-opencl,-cuda,-nvml,-rsmi,-levelzero,-pci,-linuxio");
  EXPECT_EQ(given({{"PATH", "/usr/bin:/bin"}, {"HWLOC_COMPONENTS", "xml"}}), "nothing");
}

}  // namespace
}  // namespace topolaunch::launcher
