// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/ledger_store_contract.h"

#include <stdlib.h>

#include <filesystem>

#include "quota/store/memory_book.h"
#include "quota/store/sqlite_book.h"

namespace topolaunch::quota {
namespace {

template <class T>
Code code_of(const Result<T>& result) {
  return result ? Code::internal : result.error().code;
}

TEST_P(LedgerStoreContract, HoldsGpusTimesWallUntilItIsSettled) {
  const auto hold = ledger->reserve(request("r1", 4, 100));
  ASSERT_TRUE(hold) << hold.error().text();
  EXPECT_EQ(hold->gpu_seconds, 400);
  EXPECT_EQ(hold->wall_seconds, 100);
  EXPECT_FALSE(hold->already);
  EXPECT_EQ(account().held, 400);
  EXPECT_EQ(account().gpus_in_use, 4);
  ASSERT_TRUE(ledger->start("r1", 1, owner()));
  clock.now += 50;
  ASSERT_TRUE(ledger->renew("r1", 1, 200));
  const auto charge = ledger->settle("r1", 1, 250, "ok");
  ASSERT_TRUE(charge);
  EXPECT_EQ(*charge, 250);
  EXPECT_EQ(account().settled, 250);
  EXPECT_EQ(account().held, 0);
  EXPECT_EQ(account().gpus_in_use, 0);
  EXPECT_EQ(run("r1").state, "SETTLED");
  EXPECT_EQ(run("r1").exit_class, "ok");
  EXPECT_EQ(run("r1").command, "python train.py");
}

TEST_P(LedgerStoreContract, AnswersARepeatedReserveTheSameAndHoldsOnce) {
  const auto first = ledger->reserve(request("r1", 4, 100));
  const auto second = ledger->reserve(request("r1", 4, 100));
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(second->already);
  EXPECT_EQ(second->gpu_seconds, first->gpu_seconds);
  EXPECT_EQ(second->hold_until, first->hold_until);
  EXPECT_EQ(account().held, 400);
  EXPECT_EQ(code_of(ledger->reserve(request("r1", 5, 100))), Code::denied);
}

TEST_P(LedgerStoreContract, ChargesARepeatedSettleOnce) {
  reserve_and_start("r1", 2, 100);
  EXPECT_EQ(ledger->settle("r1", 1, 60, "ok").value(), 60);
  EXPECT_EQ(ledger->settle("r1", 1, 200, "ok").value(), 60);
  EXPECT_EQ(account().settled, 60);
}

TEST_P(LedgerStoreContract, DeniesMoreGpusThanTheGrantHasAndDefersThoseInUse) {
  const auto never = ledger->reserve(request("r1", 9, 1));
  ASSERT_EQ(code_of(never), Code::denied);
  EXPECT_NE(never.error().message.find("asks for 9 GPUs"), std::string::npos) << never.error().message;
  EXPECT_NE(never.error().message.find("allows 8 at once, 0 in use"), std::string::npos) << never.error().message;
  ASSERT_TRUE(ledger->reserve(request("r2", 6, 1)));
  const auto later = ledger->reserve(request("r3", 4, 1));
  ASSERT_EQ(code_of(later), Code::try_again);
  EXPECT_NE(later.error().message.find("6 in use"), std::string::npos) << later.error().message;
  ASSERT_TRUE(ledger->release("r2"));
  EXPECT_TRUE(ledger->reserve(request("r3", 4, 1)));
}

TEST_P(LedgerStoreContract, NeverLetsHoldsAndChargesGoOverTheBudget) {
  EXPECT_EQ(code_of(ledger->reserve(request("r1", 4, 251))), Code::denied);
  reserve_and_start("r2", 4, 200);
  EXPECT_EQ(code_of(ledger->reserve(request("r3", 1, 201))), Code::try_again);
  ASSERT_TRUE(ledger->reserve(request("r4", 1, 200)));
  EXPECT_EQ(account().free(), 0);
  EXPECT_EQ(ledger->settle("r2", 1, 800, "ok").value(), 800);
  EXPECT_EQ(code_of(ledger->reserve(request("r5", 1, 201))), Code::denied);
}

TEST_P(LedgerStoreContract, ChargesBeyondTheHoldOnlyFromWhatIsFree) {
  reserve_and_start("r1", 1, 100);
  reserve_and_start("r2", 1, 850);
  EXPECT_EQ(ledger->settle("r1", 1, 500, "late").value(), 150);  // its 100 and the 50 that nobody held
  EXPECT_EQ(run("r1").used, 500);
  EXPECT_EQ(account().held, 850);
  EXPECT_EQ(account().free(), 0);
  EXPECT_EQ(ledger->settle("r2", 1, 850, "ok").value(), 850);
}

TEST_P(LedgerStoreContract, RenewsByWhatWasUsedSoFarAndNeverBackwards) {
  reserve_and_start("r1", 2, 100);
  ASSERT_TRUE(ledger->renew("r1", 1, 80));
  ASSERT_TRUE(ledger->renew("r1", 1, 80));
  ASSERT_TRUE(ledger->renew("r1", 1, 10));
  EXPECT_EQ(run("r1").used, 80);
  EXPECT_EQ(ledger->settle("r1", 1, 5, "ok").value(), 80);
}

TEST_P(LedgerStoreContract, ReleasesOnlyWhatWasNotStarted) {
  ASSERT_TRUE(ledger->reserve(request("r1", 2, 100)));
  ASSERT_TRUE(ledger->release("r1"));
  ASSERT_TRUE(ledger->release("r1"));
  EXPECT_EQ(account().held, 0);
  EXPECT_EQ(code_of(ledger->start("r1", 1, owner())), Code::denied);
  reserve_and_start("r2", 2, 100);
  EXPECT_EQ(code_of(ledger->release("r2")), Code::denied);
}

TEST_P(LedgerStoreContract, KeepsTheHoldOfALostRunUntilItRenewsOrItsTimeIsOver) {
  reserve_and_start("r1", 2, 1'00);
  ASSERT_TRUE(ledger->renew("r1", 1, 20));
  EXPECT_TRUE(ledger->reap(witness(Life::unknown))->empty());
  clock.now += kLeaseSeconds + 1;
  ASSERT_EQ(ledger->reap(witness(Life::unknown))->size(), 1U);
  EXPECT_EQ(run("r1").state, "LOST");
  EXPECT_EQ(account().held, 200);
  EXPECT_EQ(account().gpus_in_use, 2);
  ASSERT_TRUE(ledger->renew("r1", 1, 100));
  EXPECT_EQ(run("r1").state, "RUNNING");
  clock.now += kLeaseSeconds + 1;
  ASSERT_EQ(ledger->reap(witness(Life::unknown))->size(), 1U);
  clock.now += 1000;
  ASSERT_EQ(ledger->reap(witness(Life::unknown))->size(), 1U);
  EXPECT_EQ(run("r1").state, "SETTLED_ESTIMATED");
  EXPECT_EQ(account().settled, 200) << "nobody can say when it ended: the whole hold";
  EXPECT_EQ(ledger->settle("r1", 1, 150, "ok").value(), 200) << "the first answer stands";
}

TEST_P(LedgerStoreContract, SettlesToTheLastRenewalOnProofOfDeath) {
  reserve_and_start("r1", 2, 100);
  ASSERT_TRUE(ledger->renew("r1", 1, 30));
  EXPECT_TRUE(ledger->reap(witness(Life::alive))->empty());
  ASSERT_EQ(ledger->reap(witness(Life::dead))->size(), 1U);
  EXPECT_EQ(run("r1").state, "SETTLED_ESTIMATED");
  EXPECT_EQ(account().settled, 30);
  EXPECT_EQ(account().held, 0);
}

TEST_P(LedgerStoreContract, LeavesARunAloneWhoseLauncherIsSeenAlive) {
  ASSERT_TRUE(ledger->reserve(request("r1", 2, 100)));
  reserve_and_start("r2", 2, 100);
  clock.now += 7 * 86400;
  EXPECT_TRUE(ledger->reap(witness(Life::alive))->empty());
  EXPECT_TRUE(ledger->start("r1", 1, owner()));
  EXPECT_EQ(ledger->settle("r2", 1, 90, "ok").value(), 90);
}

TEST_P(LedgerStoreContract, TakesARebootOfTheSameHostAsProofAndAnotherHostsAsNone) {
  reserve_and_start("r1", 2, 100);
  EXPECT_TRUE(ledger->reap(witness(Life::dead, "boot-2", "host-b"))->empty());
  ASSERT_EQ(ledger->reap(witness(Life::alive, "boot-2", "host-a"))->size(), 1U);
  EXPECT_EQ(run("r1").state, "SETTLED_ESTIMATED");
}

TEST_P(LedgerStoreContract, GivesBackAReservationThatWasNeverStarted) {
  ASSERT_TRUE(ledger->reserve(request("r1", 2, 100)));
  EXPECT_TRUE(ledger->reap(witness(Life::unknown))->empty());
  clock.now += kReserveLeaseSeconds + 1;
  ASSERT_EQ(ledger->reap(witness(Life::unknown))->size(), 1U);
  EXPECT_EQ(run("r1").state, "RELEASED");
  ASSERT_TRUE(ledger->reserve(request("r2", 2, 100)));
  ASSERT_EQ(ledger->reap(witness(Life::dead))->size(), 1U) << "at once on proof of death";
  EXPECT_EQ(account().held, 0);
  EXPECT_EQ(account().settled, 0);
}

TEST_P(LedgerStoreContract, FencesTheOldLauncherAfterATakeover) {
  reserve_and_start("r1", 2, 100);
  Owner next = owner();
  next.pid = 200;
  EXPECT_EQ(code_of(ledger->takeover("r1", next, witness(Life::alive))), Code::denied);
  EXPECT_EQ(code_of(ledger->takeover("r1", next, witness(Life::unknown))), Code::denied);
  EXPECT_EQ(ledger->takeover("r1", next, witness(Life::dead)).value(), 2);
  const auto fenced = ledger->renew("r1", 1, 10);
  ASSERT_EQ(code_of(fenced), Code::denied);
  EXPECT_NE(fenced.error().message.find("fenced"), std::string::npos);
  EXPECT_EQ(code_of(ledger->settle("r1", 1, 10, "ok")), Code::denied);
  EXPECT_TRUE(ledger->renew("r1", 2, 20));
  EXPECT_EQ(ledger->settle("r1", 2, 20, "ok").value(), 20);
}

TEST_P(LedgerStoreContract, RefundsOnceAndNoMoreThanWasCharged) {
  reserve_and_start("r1", 2, 100);
  EXPECT_EQ(code_of(ledger->refund("f0", "r1", 1, "too early")), Code::denied);
  ASSERT_TRUE(ledger->settle("r1", 1, 100, "gpu_lost"));
  ASSERT_TRUE(ledger->refund("f1", "r1", 60, "Xid 79"));
  ASSERT_TRUE(ledger->refund("f1", "r1", 60, "Xid 79"));
  EXPECT_EQ(code_of(ledger->refund("f1", "r1", 61, "Xid 79")), Code::denied);
  EXPECT_EQ(code_of(ledger->refund("f2", "r1", 41, "Xid 79")), Code::denied);
  ASSERT_TRUE(ledger->refund("f2", "r1", 40, "Xid 79"));
  EXPECT_EQ(account().refunded, 100);
  EXPECT_EQ(account().free(), 1000);
}

TEST_P(LedgerStoreContract, StartsNothingOnARevokedGrantButLetsRunsEnd) {
  reserve_and_start("r1", 2, 100);
  ASSERT_TRUE(ledger->revoke(grant().jti, "left the team"));
  const auto refused = ledger->reserve(request("r2", 1, 1));
  ASSERT_EQ(code_of(refused), Code::denied);
  EXPECT_NE(refused.error().message.find("left the team"), std::string::npos);
  EXPECT_EQ(account().revoked, "left the team");
  EXPECT_TRUE(ledger->renew("r1", 1, 10));
  EXPECT_TRUE(ledger->settle("r1", 1, 10, "ok"));
}

TEST_P(LedgerStoreContract, TakesListsOfRevocationsInOrderOnly) {
  ASSERT_TRUE(ledger->accept_revocations("https://q.example", 5, {"some-jti"}, {}));
  EXPECT_TRUE(ledger->reserve(request("r1", 1, 1)));
  ASSERT_TRUE(ledger->accept_revocations("https://q.example", 6, {grant().jti}, {}));
  EXPECT_EQ(code_of(ledger->reserve(request("r2", 1, 1))), Code::denied);
  const auto back = ledger->accept_revocations("https://q.example", 5, {}, {});
  ASSERT_EQ(code_of(back), Code::denied);
  EXPECT_NE(back.error().message.find("seen 6"), std::string::npos) << back.error().message;
  EXPECT_EQ(code_of(ledger->reserve(request("r2", 1, 1))), Code::denied);
  EXPECT_TRUE(ledger->accept_revocations("https://other.example", 1, {}, {}));
}

TEST_P(LedgerStoreContract, RevokesByKeyAndByNoOtherIssuersWord) {
  ASSERT_TRUE(ledger->accept_revocations("https://other.example", 1, {grant().jti}, {"kid-1"}));
  ASSERT_TRUE(ledger->reserve(request("r1", 1, 1)));
  ASSERT_TRUE(ledger->accept_revocations("https://q.example", 1, {}, {"kid-1"}));
  EXPECT_EQ(code_of(ledger->reserve(request("r2", 1, 1))), Code::denied);
}

TEST_P(LedgerStoreContract, RefusesToReserveUnderAClockTurnedBack) {
  ASSERT_TRUE(ledger->reserve(request("r1", 1, 100)));
  clock.now -= 60;
  EXPECT_TRUE(ledger->check_clock());
  clock.now -= 1;
  const auto refused = ledger->reserve(request("r2", 1, 1));
  ASSERT_EQ(code_of(refused), Code::denied);
  EXPECT_NE(refused.error().message.find("clock"), std::string::npos);
  EXPECT_EQ(code_of(ledger->check_clock()), Code::denied);
  // What runs must still be able to end.
  EXPECT_TRUE(ledger->start("r1", 1, owner()));
  EXPECT_TRUE(ledger->settle("r1", 1, 1, "ok"));
}

TEST_P(LedgerStoreContract, RefusesAGrantThatChangedUnderItsId) {
  ASSERT_TRUE(ledger->enroll(grant()));
  ASSERT_TRUE(ledger->enroll(grant()));
  ReserveRequest larger = request("r1", 1, 1);
  larger.grant.gpu_seconds = 1'000'000;
  EXPECT_EQ(code_of(ledger->reserve(larger)), Code::denied);
  EXPECT_EQ(account().grant.gpu_seconds, 1000);
}

TEST_P(LedgerStoreContract, LeavesNoTraceOfARefusal) {
  const auto before = ledger->journal()->size();
  EXPECT_FALSE(ledger->reserve(request("r1", 9, 1)));
  EXPECT_FALSE(ledger->start("nobody", 1, owner()));
  EXPECT_FALSE(ledger->settle("nobody", 1, 1, "ok"));
  EXPECT_EQ(ledger->journal()->size(), before);
  EXPECT_TRUE(ledger->runs()->empty());
}

TEST_P(LedgerStoreContract, RecordsARunWithoutGpusForNothing) {
  const auto hold = ledger->reserve(request("r1", 0, 0));
  ASSERT_TRUE(hold);
  EXPECT_EQ(hold->gpu_seconds, 0);
  EXPECT_EQ(hold->wall_seconds, 0);
  ASSERT_TRUE(ledger->start("r1", 1, owner()));
  EXPECT_EQ(ledger->settle("r1", 1, 0, "ok").value(), 0);
  EXPECT_EQ(run("r1").state, "SETTLED");
}

TEST_P(LedgerStoreContract, HasANameOfItsOwn) {
  EXPECT_TRUE(ledger->urn().starts_with("urn:topolaunch:ledger:"));
  EXPECT_EQ(ledger->urn().size(), 22U + 36U);
  EXPECT_NE(ledger->urn(), GetParam().make(clock)->urn());
}

/// A fresh folder for each ledger, gone with it.
class InFolder final {
 public:
  InFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "topolaunch-ledger.XXXXXX").string();
    path = ::mkdtemp(name.data()) != nullptr ? name : "";
  }
  InFolder(const InFolder&) = delete;
  InFolder& operator=(const InFolder&) = delete;
  ~InFolder() {
    std::error_code ignored;
    if (!path.empty()) std::filesystem::remove_all(path, ignored);
  }
  std::string path;
};

std::unique_ptr<LedgerStore> sqlite_ledger(const Clock& clock) {
  static std::vector<std::unique_ptr<InFolder>> folders;  // removed at the end of the program
  folders.push_back(std::make_unique<InFolder>());
  SqliteOptions options;
  options.mode = SqliteOptions::Mode::create;
  auto ledger = open_sqlite_ledger(folders.back()->path + "/state/ledger.sqlite", options, clock);
  if (!ledger) {
    ADD_FAILURE() << ledger.error().text();
    return nullptr;
  }
  return std::move(*ledger);
}

INSTANTIATE_TEST_SUITE_P(Memory, LedgerStoreContract, testing::Values(LedgerKind{"memory", make_memory_ledger}));
INSTANTIATE_TEST_SUITE_P(Sqlite, LedgerStoreContract, testing::Values(LedgerKind{"sqlite", sqlite_ledger}));

}  // namespace
}  // namespace topolaunch::quota
