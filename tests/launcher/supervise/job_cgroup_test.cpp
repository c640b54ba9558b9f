// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervise/job_cgroup.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace topolaunch::launcher {
namespace {

const std::string kOne = "0190a000-0000-7000-8000-000000000001";
const std::string kTwo = "0190a000-0000-7000-8000-000000000002";

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

TEST(JobCgroupPath, HasTheHostWhereSeveralAreOnOneMachine) {
  EXPECT_EQ(job_cgroup_path("/cg", "id"), "/cg/topolaunch-id");
  EXPECT_EQ(job_cgroup_path("/cg", "id", "h1"), "/cg/topolaunch-id-h1");
  EXPECT_EQ(job_cgroup_path("", "id"), "");
  EXPECT_EQ(job_cgroup_path("/cg", "id", "../x"), "");
}

class JobCgroupTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string own = own_cgroup(RootedFiles());
    parent_ = own + "/test-" + std::to_string(::getpid());
    if (own.empty() || ::mkdir(parent_.c_str(), 0755) != 0) GTEST_SKIP() << "no cgroup v2 to write";
  }
  void TearDown() override { ::rmdir(parent_.c_str()); }
  std::string parent_;
};

TEST_F(JobCgroupTest, TakesAwayWhatAKilledKeeperHasLeftAndNothingElse) {
  const std::string abandoned = job_cgroup_path(parent_, kOne, "h1");
  const std::string not_ours = parent_ + "/topolaunch-bed-x";
  ASSERT_EQ(::mkdir(abandoned.c_str(), 0755), 0);
  ASSERT_EQ(::mkdir(not_ours.c_str(), 0755), 0);
  JobCgroup kept = JobCgroup::make(job_cgroup_path(parent_, kTwo));
  if (!kept) {
    ::rmdir(abandoned.c_str());
    ::rmdir(not_ours.c_str());
    GTEST_SKIP() << "no cgroup.kill";
  }
  EXPECT_FALSE(exists(abandoned));
  EXPECT_TRUE(exists(not_ours));
  // One that is kept stays, though nothing is in it; one with a process in it stays, though nobody
  // keeps it.
  const pid_t child = kept.fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  const std::string path = kept.path();
  kept = JobCgroup();
  JobCgroup empty = JobCgroup::make(job_cgroup_path(parent_, kOne));
  ASSERT_TRUE(empty);
  EXPECT_TRUE(exists(path)) << "a process is in it";
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  JobCgroup other = JobCgroup::make(job_cgroup_path(parent_, kTwo, "b"));
  EXPECT_FALSE(exists(path));
  EXPECT_TRUE(exists(empty.path())) << "it is kept";
  other.remove();
  empty.remove();
  ::rmdir(not_ours.c_str());
}

}  // namespace
}  // namespace topolaunch::launcher
