// SPDX-License-Identifier: Apache-2.0
#include "quota/owner.h"

#include <sys/wait.h>

#include "tests/quota/desk.h"

namespace topolaunch::quota {
namespace {

TEST(Owner, OfThisProcessIsAlive) {
  const Office office;
  const Owner self = this_process(office.outside);
  EXPECT_EQ(self.pid, ::getpid());
  EXPECT_GT(self.pid_start, 0);
  EXPECT_FALSE(self.boot_id.empty());
  EXPECT_EQ(life_of(self, this_machine(office.outside)), Life::alive);
}

TEST(Owner, WhosePidBelongsToAnotherProcessNowIsDead) {
  const Office office;
  Owner reused = this_process(office.outside);
  reused.pid_start -= 1;
  EXPECT_EQ(life_of(reused, this_machine(office.outside)), Life::dead);
}

TEST(Owner, ThatHasEndedIsDeadEvenIfNobodyReapedIt) {
  const Office office;
  const Witness witness = this_machine(office.outside);
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    char c = 0;
    ::close(ready[1]);
    static_cast<void>(!::read(ready[0], &c, 1));
    ::_exit(0);
  }
  ::close(ready[0]);
  Owner owner = this_process(office.outside);
  owner.pid = child;
  const std::string stat = TempFolder::read("/proc/" + std::to_string(child) + "/stat");
  std::istringstream fields(stat.substr(stat.rfind(')') + 2));
  std::string field;
  for (int i = 3; i <= 22; ++i) fields >> field;
  owner.pid_start = std::stoll(field);
  EXPECT_EQ(life_of(owner, witness), Life::alive);
  ::close(ready[1]);
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(life_of(owner, witness), Life::dead) << "a zombie";
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_EQ(life_of(owner, witness), Life::dead);
}

TEST(Owner, IsUnknownFromAnotherNamespaceOrHost) {
  const Office office;
  const Witness witness = this_machine(office.outside);
  Owner owner = this_process(office.outside);
  owner.pid = 999'999'999;
  EXPECT_EQ(life_of(owner, witness), Life::dead);
  owner.pid_namespace = "1";
  EXPECT_EQ(life_of(owner, witness), Life::unknown);
  owner.boot_id = "another";
  EXPECT_EQ(life_of(owner, witness), Life::dead) << "this host has booted since";
  owner.host = "another";
  EXPECT_EQ(life_of(owner, witness), Life::unknown);
  EXPECT_EQ(life_of(Owner{}, witness), Life::unknown);
}

}  // namespace
}  // namespace topolaunch::quota
