// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervise/host_id.h"

#include <gtest/gtest.h>

#include "base/own_host.h"
#include "tests/support/memory_files.h"

namespace topolaunch::launcher {
namespace {

TEST(HostId, TellsMachinesAndBootsApart) {
  test::MemoryFiles files;
  EXPECT_TRUE(own_host_id(files).starts_with(own_host_name() + "//net:[")) << own_host_id(files);
  files.add("/etc/machine-id", "m1\n");
  files.add("/proc/sys/kernel/random/boot_id", "b1\n");
  const std::string first = own_host_id(files);
  EXPECT_TRUE(first.starts_with("m1/b1/net:[")) << first;
  EXPECT_EQ(own_host_id(files), first);
  files.add("/proc/sys/kernel/random/boot_id", "b2\n");
  EXPECT_NE(own_host_id(files), first);
}

TEST(HostId, SaysWhatHasHappened) {
  EXPECT_EQ(host_change("m/b/net:[1]", "m/c/net:[9]"), "has booted");
  EXPECT_EQ(host_change("m/b/net:[1]", "n/b/net:[1]"), "is another machine");
  EXPECT_EQ(host_change("m/b/net:[1]", "m/b/net:[2]"),
            "is another container, or has another network");
  EXPECT_EQ(host_change("m/b/net:[1]", ""), "is another machine");
}

}  // namespace
}  // namespace topolaunch::launcher
