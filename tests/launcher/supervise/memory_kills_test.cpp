// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervise/memory_kills.h"

#include <gtest/gtest.h>

namespace topolaunch::launcher {
namespace {

TEST(MemoryKills, ReadsTheKernelsLine) {
  EXPECT_EQ(pid_of_memory_kill(
                "6,1,2,-;Memory cgroup out of memory: Killed process 4711 (python) total-vm:1kB"),
            4711);
  EXPECT_EQ(pid_of_memory_kill("3,9,9,-;Out of memory: Killed process 12 (a b) total-vm:1kB"), 12);
  EXPECT_EQ(pid_of_memory_kill("6,1,2,-;usb 1-1: new device"), 0);
}

}  // namespace
}  // namespace topolaunch::launcher
