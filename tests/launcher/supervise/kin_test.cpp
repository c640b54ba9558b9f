// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervise/kin.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "tests/launcher/engine/process.h"

namespace topolaunch::launcher {
namespace {

using testing::Process;
using testing::sh;

TEST(Kin, FindsAProcessThatWasForkedTwice) {
  // The child is a subreaper; its grandchild loses its parent and has a session of its own.
  Process parent(sh("exec " ENGINE_DRIVER
                    " local 1 -- bash -c '(setsid sleep 300 &); echo ready; sleep 300'"));
  ASSERT_TRUE(parent.until("ready"));
  const auto sleepers = [&parent] {
    return std::ranges::count_if(kin_below(parent.pid()),
                                 [](const Kin& k) { return k.name == "sleep"; });
  };
  // "ready" comes before the shells have become what they start.
  for (int i = 0; i < 500 && sleepers() < 2; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_GE(sleepers(), 2);
  EXPECT_EQ(read_kin(::getpid()).parent, ::getppid());
}

TEST(Kin, NeverSignalsAProcessThatHasTakenTheNumberOfAnother) {
  Process process({"sleep", "300"});
  Kin kin = read_kin(process.pid());
  kin.start += 1;  // as if the number had gone to a later process
  EXPECT_EQ(signal_kin({kin}, SIGKILL), 0);
  kin.start -= 1;
  EXPECT_EQ(signal_kin({kin}, SIGKILL), 1);
}

}  // namespace
}  // namespace topolaunch::launcher
