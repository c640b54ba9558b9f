// SPDX-License-Identifier: Apache-2.0
#include "base/own_cgroups.h"

#include <gtest/gtest.h>

#include "tests/support/memory_files.h"

namespace topolaunch {
namespace {

using test::MemoryFiles;
using Folders = std::vector<std::string>;

TEST(OwnCgroups, HaveTheirFoldersFromTheInnermostUp) {
  MemoryFiles files;
  files.add("/proc/self/cgroup", "4:cpu,cpuacct:/c\n1:name=systemd:/x\n0::/slice/job\n");
  files.add("/proc/self/mountinfo",
            "30 24 0:26 / /sys/fs/cgroup\\040v2 rw shared:9 - cgroup2 cgroup2 rw\n"
            "31 24 0:27 / /cg/cpu rw - cgroup cgroup rw,cpu,cpuacct\n");
  const auto groups = own_cgroups(files);
  ASSERT_EQ(groups.size(), 2U) << "systemd's has no mount";
  EXPECT_FALSE(groups[0].version2);
  EXPECT_TRUE(groups[0].controls("cpuacct"));
  EXPECT_FALSE(groups[0].controls("memory"));
  EXPECT_EQ(groups[0].folders, (Folders{"/cg/cpu/c", "/cg/cpu"}));
  EXPECT_TRUE(groups[1].version2);
  EXPECT_TRUE(groups[1].exact);
  EXPECT_EQ(groups[1].folders, (Folders{"/sys/fs/cgroup v2/slice/job", "/sys/fs/cgroup v2/slice",
                                        "/sys/fs/cgroup v2"}));
}

TEST(OwnCgroups, SeeOnlyWhatIsMounted) {
  const auto folders = [](const std::string& group, bool& exact) {
    MemoryFiles files;
    files.add("/proc/self/cgroup", "0::" + group + "\n");
    files.add("/proc/self/mountinfo", "30 24 0:26 /docker/1 /cg rw - cgroup2 cgroup2 rw\n");
    const auto groups = own_cgroups(files);
    exact = groups.at(0).exact;
    return groups.at(0).folders;
  };
  bool exact = false;
  EXPECT_EQ(folders("/docker/1/a", exact), (Folders{"/cg/a", "/cg"}));
  EXPECT_TRUE(exact);
  EXPECT_EQ(folders("/docker/1", exact), (Folders{"/cg"}));
  EXPECT_TRUE(exact);
  EXPECT_EQ(folders("/docker/12", exact), (Folders{"/cg"}));
  EXPECT_FALSE(exact);
  EXPECT_EQ(folders("/../../other", exact), (Folders{"/cg"}));
  EXPECT_FALSE(exact);
  EXPECT_TRUE(own_cgroups(MemoryFiles()).empty());
}

}  // namespace
}  // namespace topolaunch
