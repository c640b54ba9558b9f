// SPDX-License-Identifier: Apache-2.0
//
// Many processes on one grant, some of them killed in the middle: whatever happens, the ledger's sums
// equal its rows and the budget is never exceeded.
#include <signal.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "quota/store/sqlite_book.h"
#include "tests/quota/desk.h"

namespace topolaunch::quota {
namespace {

constexpr int kProcesses = 16;
constexpr std::int64_t kBudget = 600;

Grant grant() {
  const std::int64_t now = SystemClock().unix_seconds();
  return Grant{"0190f5c2-7b1a-7c3e-9d55-3f2f8f5e6a10", "alice", "vision", "", kIssuer, 12, kBudget, 0, now - 1, now + 86400, 0, 0, 0, {"*"}};
}

/// Reserves, starts and settles as fast as it can until killed or the budget is spent; every call is
/// made twice, as after a lost answer. Returns through _exit only.
[[noreturn]] void hammer(const std::string& path, const Grant& grant, int number) {
  const SystemClock clock;
  SqliteOptions options;
  options.mode = SqliteOptions::Mode::create;
  options.busy_milliseconds = 30'000;
  auto ledger = open_sqlite_ledger(path, options, clock);
  if (!ledger) ::_exit(2);
  const RootedFiles files;
  const SystemCommands commands;
  const Environment environment;
  const Owner owner = this_process(Outside{files, commands, clock, environment});
  for (int i = 0; i < 20; ++i) {
    ReserveRequest r;
    r.run_id = std::to_string(number) + "-" + std::to_string(i);
    r.grant = grant;
    r.demand.count = 1 + (i + number) % 4;
    r.demand.wall_seconds = 10;
    r.owner = owner;
    auto hold = (*ledger)->reserve(r);
    if (!hold && hold.error().code != Code::try_again && hold.error().code != Code::denied) ::_exit(3);
    if (!hold) continue;
    if (!(*ledger)->reserve(r)) ::_exit(4);
    if (i % 5 == 4) {
      if (!(*ledger)->release(r.run_id)) ::_exit(5);
      continue;
    }
    if (!(*ledger)->start(r.run_id, 1, owner) || !(*ledger)->renew(r.run_id, 1, 3)) ::_exit(6);
    const auto one = (*ledger)->settle(r.run_id, 1, 5, "ok");
    const auto two = (*ledger)->settle(r.run_id, 1, 9, "ok");
    if (!one || !two || *one != 5 || *two != 5) ::_exit(7);
  }
  ::_exit(0);
}

TEST(LedgerRace, NeverOverspendsHoweverManyProcessesAreKilled) {
  const TempFolder folder;
  const std::string path = folder / "state/ledger.sqlite";
  const Grant shared = grant();
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) hammer(path, shared, i);
    children.push_back(child);
  }
  // Four of them die at different moments of their work.
  for (int i = 0; i < 4; ++i) {
    ::usleep(60'000);
    ::kill(children[static_cast<std::size_t>(i * 4)], SIGKILL);
  }
  int killed = 0;
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status)) {
      ++killed;
    } else {
      EXPECT_EQ(WEXITSTATUS(status), 0);
    }
  }
  EXPECT_LE(killed, 4);

  const SystemClock clock;
  SqliteOptions options;
  auto ledger = open_sqlite_ledger(path, options, clock);
  ASSERT_TRUE(ledger) << ledger.error().text();
  const auto sums_fit = [&] {
    const auto account = (*ledger)->balance(shared.jti);
    ASSERT_TRUE(account && *account);
    std::int64_t charged = 0, held = 0, open = 0;
    const auto runs = (*ledger)->runs();
    ASSERT_TRUE(runs);
    for (const RunRecord& r : *runs) {
      charged += r.charged;
      held += r.held;
      open += r.open() ? r.gpus : 0;
    }
    EXPECT_EQ((*account)->settled, charged);
    EXPECT_EQ((*account)->held, held);
    EXPECT_LE(charged + held, kBudget);
    EXPECT_LE(open, shared.gpus);
    EXPECT_GT(charged, 0) << "nothing happened";
    EXPECT_EQ((*ledger)->check_journal()->broken, "");
  };
  sums_fit();
  const RootedFiles files;
  const SystemCommands commands;
  const Environment environment;
  ASSERT_TRUE((*ledger)->reap(this_machine(Outside{files, commands, clock, environment})));
  sums_fit();
  EXPECT_EQ((**(*ledger)->balance(shared.jti)).held, 0) << "the killed ones' holds came back";
}

}  // namespace
}  // namespace topolaunch::quota
