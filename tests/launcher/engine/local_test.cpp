// SPDX-License-Identifier: Apache-2.0
#include "launcher/engine/local.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "launcher/supervise/kin.h"
#include "tests/launcher/engine/process.h"

namespace topolaunch::launcher {
namespace {

using testing::driver;
using testing::Process;
using testing::sh;

TEST(Local, EndsAJobThatUsesMpiInsteadOfRunningManyWorldsOfOne) {
  std::string library;
  for (const char* const name :
       {"/usr/lib/x86_64-linux-gnu/libmpi.so.40", "/usr/lib/aarch64-linux-gnu/libmpi.so.40"}) {
    if (RootedFiles().exists(name)) library = name;
  }
  if (library.empty()) GTEST_SKIP() << "no libmpi here";
  // Mapped by a script, as mpi4py would.
  Process process(driver(
      "local", 2, {"--grace", "2"},
      {"python3", "-c", "import ctypes,time; ctypes.CDLL('" + library + "'); time.sleep(60)"}));
  const auto outcome = process.wait(30);
  EXPECT_EQ(outcome.status, 78) << outcome.err;
  EXPECT_NE(outcome.err.find("--engine mpirun"), std::string::npos) << outcome.err;
}

TEST(Local, KeepsIgnoredSignalsIgnoredAndResetsTheOthers) {
  const auto outcome =
      Process(sh("trap '' HUP; " ENGINE_DRIVER " local 2 --tag -- grep SigIgn /proc/self/status"))
          .wait();
  EXPECT_EQ(outcome.out.find("SigIgn:\t0000000000000001"), 4U) << outcome.out;
}

TEST(Local, HandsOnTheDescriptorsThatItWasGiven) {
  const auto outcome = Process(sh(ENGINE_DRIVER " local 1 -- cat <(echo from the shell)")).wait();
  EXPECT_EQ(outcome.out, "from the shell\n") << outcome.err;
}

TEST(Local, ARankThatIsStillStartingHearsOfTheEnd) {
  // Whether the first has failed before the second is there is chance: a few tries.
  for (int i = 0; i < 10; ++i) {
    Process process(
        driver("local", 2, {"--grace", "30"}, sh("[ $RANK = 0 ] && exit 9; exec sleep 60")));
    ASSERT_EQ(process.wait(15).status, 9);
  }
}

TEST(Local, EndsTheJobWhenTheKeeperIsKilled) {
  const std::string mark = "TL_TEST_MARK=keeper" + std::to_string(::getpid());
  Process process(
      driver("local", 2, {}, sh("trap '' TERM; (setsid sleep 300 &); echo ready; sleep 300")),
      {{"TL_TEST_MARK", mark.substr(13)}});
  ASSERT_TRUE(process.until("ready\nready\n"));
  pid_t keeper = 0;
  for (const Kin& kin : kin_below(process.pid())) {
    if (kin.parent == process.pid()) keeper = kin.pid;
  }
  ASSERT_GT(keeper, 0);
  ::kill(keeper, SIGKILL);
  EXPECT_EQ(process.wait(20).status, 70);
  EXPECT_TRUE(testing::none_left(mark, 1));
}

TEST(Local, EndsWithItsReader) {
  const auto outcome = Process(sh("set -o pipefail; timeout 20 " ENGINE_DRIVER
                                  " local 2 --grace 2 -- yes | head -1"))
                           .wait();
  EXPECT_EQ(outcome.out, "y\n");
  EXPECT_EQ(outcome.status, 141) << outcome.err;
}

TEST(Local, NeverTouchesAChildThatItDidNotStart) {
  // exec keeps children: the sleep is a child of what becomes the driver.
  const auto outcome =
      Process(sh("sleep 300 & echo $! >&2; exec " ENGINE_DRIVER " local 2 -- true")).wait(20);
  const pid_t bystander = static_cast<pid_t>(std::atoi(outcome.err.c_str()));
  ASSERT_GT(bystander, 0);
  EXPECT_EQ(::kill(bystander, SIGKILL), 0) << "it was still there";
}

}  // namespace
}  // namespace topolaunch::launcher
