// SPDX-License-Identifier: Apache-2.0
#include "launcher/engine/mpirun.h"

#include <gtest/gtest.h>

namespace topolaunch::launcher {
namespace {

TEST(Mpirun, ReadsVersionsAndBlame) {
  const auto version = mpirun_version_from("mpirun (Open MPI) 4.1.4\n\nReport bugs to ...\n");
  ASSERT_TRUE(version);
  EXPECT_EQ(version->text, "4.1.4");
  EXPECT_TRUE(version->known());
  EXPECT_FALSE(mpirun_version_from("mpirun (Open MPI) 3.0.1")->known());
  EXPECT_FALSE(mpirun_version_from("HYDRA build details:\n    Version: 4.1"));
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
