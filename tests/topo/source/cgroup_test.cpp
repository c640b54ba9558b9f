// SPDX-License-Identifier: Apache-2.0
#include "topo/source/cgroup.h"

#include <gtest/gtest.h>

#include "tests/support/memory_files.h"

namespace topolaunch::topo {
namespace {

using test::MemoryFiles;

constexpr const char* kVersion2 =
    "30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";

TEST(Cgroup, TakesTheTightestLimitOnTheWayUpInVersion2) {
  MemoryFiles files;
  files.add("/proc/self/cgroup", "0::/slice/job/step\n");
  files.add("/proc/self/mountinfo", kVersion2);
  files.add("/sys/fs/cgroup/slice/job/step/cpuset.cpus.effective", "0-1,8-9\n");
  files.add("/sys/fs/cgroup/slice/job/step/cpuset.mems.effective", "0\n");
  files.add("/sys/fs/cgroup/slice/job/step/cpu.max", "max 100000\n");
  files.add("/sys/fs/cgroup/slice/job/step/memory.max", "max\n");
  files.add("/sys/fs/cgroup/slice/job/cpu.max", "300000 100000\n");
  files.add("/sys/fs/cgroup/slice/job/memory.max", "68719476736\n");
  files.add("/sys/fs/cgroup/slice/cpu.max", "800000 100000\n");
  const auto limits = read_cgroup_limits(files);
  ASSERT_TRUE(limits.cpus && limits.memory_nodes && limits.cpu_quota);
  EXPECT_EQ(limits.cpus->to_list(), "0-1,8-9");
  EXPECT_EQ(limits.memory_nodes->to_list(), "0");
  EXPECT_DOUBLE_EQ(*limits.cpu_quota, 3.0);
  EXPECT_EQ(limits.memory, Bytes::gib(64));
}

TEST(Cgroup, LooksUpwardsWhereAControllerIsNotDelegated) {
  MemoryFiles files;
  files.add("/proc/self/cgroup", "0::/a/b\n");
  files.add("/proc/self/mountinfo", kVersion2);
  files.add("/sys/fs/cgroup/a/cpuset.cpus.effective", "4-7\n");
  const auto limits = read_cgroup_limits(files);
  ASSERT_TRUE(limits.cpus);
  EXPECT_EQ(limits.cpus->to_list(), "4-7");
  EXPECT_FALSE(limits.cpu_quota);
  EXPECT_EQ(limits.memory, Bytes());
}

TEST(Cgroup, ReadsEachControllerOfVersion1FromItsOwnHierarchy) {
  MemoryFiles files;
  files.add("/proc/self/cgroup", "9:cpu,cpuacct:/c\n8:cpuset:/s/t\n7:memory:/m\n1:name=systemd:/x\n0::/y\n");
  files.add("/proc/mounts",
            "cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n"
            "cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,cpu,cpuacct 0 0\n"
            "cgroup /sys/fs/cgroup/cpuset cgroup rw,cpuset 0 0\n"
            "cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0\n");
  files.add("/sys/fs/cgroup/cpuset/s/t/cpuset.effective_cpus", "5-6,13-14\n");
  files.add("/sys/fs/cgroup/cpuset/s/t/cpuset.cpus", "0-15\n");
  files.add("/sys/fs/cgroup/cpuset/s/t/cpuset.mems", "1\n");
  files.add("/sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_quota_us", "150000\n");
  files.add("/sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_period_us", "100000\n");
  files.add("/sys/fs/cgroup/memory/m/memory.limit_in_bytes", "34359738368\n");
  files.add("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  const auto limits = read_cgroup_limits(files);
  ASSERT_TRUE(limits.cpus && limits.memory_nodes && limits.cpu_quota);
  EXPECT_EQ(limits.cpus->to_list(), "5-6,13-14");
  EXPECT_EQ(limits.memory_nodes->to_list(), "1");
  EXPECT_DOUBLE_EQ(*limits.cpu_quota, 1.5);
  EXPECT_EQ(limits.memory, Bytes::gib(32));
}

TEST(Cgroup, ReadsNoLimitAsNone) {
  MemoryFiles files;
  files.add("/proc/self/cgroup", "4:cpu:/\n3:memory:/\n");
  files.add("/proc/mounts", "cgroup /c/cpu cgroup rw,cpu 0 0\ncgroup /c/memory cgroup rw,memory 0 0\n");
  files.add("/c/cpu/cpu.cfs_quota_us", "-1\n");
  files.add("/c/cpu/cpu.cfs_period_us", "100000\n");
  files.add("/c/memory/memory.limit_in_bytes", "9223372036854771712\n");
  const auto limits = read_cgroup_limits(files);
  EXPECT_FALSE(limits.cpus);
  EXPECT_FALSE(limits.cpu_quota);
  EXPECT_EQ(limits.memory, Bytes());
}

TEST(Cgroup, FindsItsPlaceInAContainerThatSeesItsHostsNames) {
  MemoryFiles files;
  files.add("/proc/self/cgroup", "8:cpuset:/docker/abc\n");
  files.add("/proc/self/mountinfo",
            "40 31 0:31 /docker/abc /sys/fs/cgroup/cpu\\040set ro - cgroup cgroup rw,cpuset\n");
  files.add("/sys/fs/cgroup/cpu set/cpuset.cpus", "1,2\n");
  const auto limits = read_cgroup_limits(files);
  ASSERT_TRUE(limits.cpus);
  EXPECT_EQ(limits.cpus->to_list(), "1-2");
}

TEST(Cgroup, KeepsToTheMountPointForAPathOutsideOfIt) {
  MemoryFiles files;
  files.add("/proc/self/cgroup", "0::/../other/../..\n");
  files.add("/proc/self/mountinfo", kVersion2);
  files.add("/sys/fs/cgroup/cpu.max", "50000 100000\n");
  const auto limits = read_cgroup_limits(files);
  ASSERT_TRUE(limits.cpu_quota);
  EXPECT_DOUBLE_EQ(*limits.cpu_quota, 0.5);
}

TEST(Cgroup, SurvivesNonsense) {
  MemoryFiles files;
  files.add("/proc/self/cgroup", std::string(":::\n::\nx\n0::/") + std::string(100000, 'a') + "\n\0\n");
  files.add("/proc/self/mountinfo", "- - -\n a - cgroup2\n1 2 3 4 5 6 - cgroup2 x y\n");
  files.add("/proc/mounts", "x\n\n a b cgroup2\n");
  EXPECT_FALSE(read_cgroup_limits(files).cpus);
  EXPECT_FALSE(read_cgroup_limits(MemoryFiles()).cpus);
}

}  // namespace
}  // namespace topolaunch::topo
