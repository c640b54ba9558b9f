// SPDX-License-Identifier: Apache-2.0
#include "bench/topobench/cpu_quota.h"

#include <gtest/gtest.h>

#include "tests/support/memory_files.h"

namespace topolaunch::bench {
namespace {

using test::MemoryFiles;

TEST(CpuQuota, Version2CountsMicrosecondsOnEachLevel) {
  MemoryFiles files;
  files.add("/proc/self/cgroup", "0::/pod/job\n");
  files.add("/proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  files.add("/sys/fs/cgroup/pod/job/cpu.stat", "usage_usec 9\nnr_throttled 2\nthrottled_usec 500000\n");
  files.add("/sys/fs/cgroup/pod/cpu.stat", "throttled_usec 250000\n");
  const auto held = CpuQuota(files).held_back();
  ASSERT_TRUE(held);
  EXPECT_DOUBLE_EQ(held->count(), 0.75);
}

TEST(CpuQuota, Version1CountsNanosecondsUnderTheCpuController) {
  MemoryFiles files;
  files.add("/proc/self/cgroup", "7:memory:/elsewhere\n3:cpu,cpuacct:/job\n0::/\n");
  files.add("/proc/self/mountinfo",
            "31 23 0:27 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
            "32 23 0:28 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n");
  files.add("/sys/fs/cgroup/cpu,cpuacct/job/cpu.stat", "nr_throttled 1\nthrottled_time 40000000\n");
  const auto held = CpuQuota(files).held_back();
  ASSERT_TRUE(held);
  EXPECT_DOUBLE_EQ(held->count(), 0.04);
}

TEST(CpuQuota, AContainersMountBeginsAtItsOwnGroup) {
  MemoryFiles files;
  files.add("/proc/self/cgroup", "3:cpu:/docker/abc/step\n");
  files.add("/proc/self/mountinfo", "32 23 0:28 /docker/abc /cg/cpu rw - cgroup cgroup rw,cpu\n");
  files.add("/cg/cpu/step/cpu.stat", "throttled_time 1000000000\n");
  const auto held = CpuQuota(files).held_back();
  ASSERT_TRUE(held);
  EXPECT_DOUBLE_EQ(held->count(), 1);
}

TEST(CpuQuota, WhereNobodyCountsNothingIsKnown) {
  MemoryFiles files;
  EXPECT_FALSE(CpuQuota(files).held_back());
  files.add("/proc/self/cgroup", "0::/\n");
  files.add("/proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  files.add("/sys/fs/cgroup/cpu.stat", "usage_usec 9\n");
  EXPECT_FALSE(CpuQuota(files).held_back());
}

}  // namespace
}  // namespace topolaunch::bench
