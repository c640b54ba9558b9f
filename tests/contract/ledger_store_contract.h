// SPDX-License-Identifier: Apache-2.0
//
// What every LedgerStore keeps to. An implementation is enrolled by a factory of a fresh, empty one
// over the given clock:
//   INSTANTIATE_TEST_SUITE_P(Memory, LedgerStoreContract, testing::Values(LedgerKind{"memory", make_memory_ledger}));
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>

#include "base/clock.h"
#include "quota/ledger_store.h"
#include "quota/owner.h"
#include "quota/transition.h"

namespace topolaunch::quota {

class TurnedClock final : public Clock {
 public:
  std::int64_t now = 1'798'000'000;
  std::int64_t unix_seconds() const override { return now; }
  double unix_time() const override { return static_cast<double>(now); }
  double boot_seconds() const override { return static_cast<double>(now - 1'797'000'000); }
};

struct LedgerKind {
  std::string name;
  std::function<std::unique_ptr<LedgerStore>(const Clock& clock)> make;
};
inline void PrintTo(const LedgerKind& kind, std::ostream* out) { *out << kind.name; }

class LedgerStoreContract : public testing::TestWithParam<LedgerKind> {
 protected:
  void SetUp() override {
    ledger = GetParam().make(clock);
    ASSERT_NE(ledger, nullptr);
  }
  /// Whatever a test did, the books must balance.
  void TearDown() override {
    const auto check = ledger->check_journal();
    ASSERT_TRUE(check) << check.error().text();
    EXPECT_EQ(check->broken, "");
    const auto runs = ledger->runs();
    const auto balances = ledger->balances();
    ASSERT_TRUE(runs && balances);
    for (const Balance& a : *balances) {
      std::int64_t charged = 0, held = 0, refunded = 0, gpus = 0;
      for (const RunRecord& r : *runs) {
        if (r.jti != a.grant.jti) continue;
        charged += r.charged;
        held += r.held;
        refunded += r.refunded;
        gpus += r.open() ? r.gpus : 0;
      }
      EXPECT_EQ(a.settled, charged);
      EXPECT_EQ(a.held, held);
      EXPECT_EQ(a.refunded, refunded);
      EXPECT_EQ(a.gpus_in_use, gpus);
      EXPECT_GE(a.free(), 0);
    }
  }

  Grant grant() const {
    return Grant{"0190f5c2-7b1a-7c3e-9d55-3f2f8f5e6a10", "alice", "vision", "mri", "https://q.example", 8, 1000, 70,
                 1'797'999'940, 1'800'592'000, 0, 0, 0, {"*"}};
  }
  Owner owner() const { return Owner{"host-a", "boot-1", "4026531836", 100, 5000}; }
  ReserveRequest request(const std::string& id, std::int64_t gpus, std::int64_t wall) const {
    ReserveRequest r;
    r.run_id = id;
    r.grant = grant();
    r.kid = "kid-1";
    r.demand.count = gpus;
    r.demand.wall_seconds = wall;
    r.demand.gpu_models = {"NVIDIA H100 80GB HBM3"};
    r.demand.user = "alice";
    r.demand.command = "python train.py";
    r.owner = owner();
    return r;
  }
  Witness witness(Life life, const std::string& boot = "boot-1", const std::string& host = "host-a") const {
    return Witness{host, boot, "4026531836", [life](std::int64_t, std::int64_t) { return life; }};
  }
  Balance account() {
    auto a = ledger->balance(grant().jti);
    EXPECT_TRUE(a && *a);
    return a && *a ? **a : Balance{};
  }
  RunRecord run(const std::string& id) {
    auto all = ledger->runs();
    for (const RunRecord& r : all.value_or(std::vector<RunRecord>{})) {
      if (r.run_id == id) return r;
    }
    ADD_FAILURE() << "no run " << id;
    return {};
  }
  void reserve_and_start(const std::string& id, std::int64_t gpus, std::int64_t wall) {
    const auto hold = ledger->reserve(request(id, gpus, wall));
    ASSERT_TRUE(hold) << hold.error().text();
    ASSERT_TRUE(ledger->start(id, 1, owner()));
  }

  TurnedClock clock;
  std::unique_ptr<LedgerStore> ledger;
};

}  // namespace topolaunch::quota
