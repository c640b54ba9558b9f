// SPDX-License-Identifier: Apache-2.0
#include "launcher/engine/mpirun.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace topolaunch::launcher
