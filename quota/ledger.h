// SPDX-License-Identifier: Apache-2.0
//
// The ledger: the rules of quota/transition.h over a Book, one transaction a call, every change
// written into a journal in double entry whose lines are chained by SHA-256.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "quota/ledger_store.h"
#include "quota/store/book.h"
#include "quota/transition.h"

namespace topolaunch::quota {

/// How far our clock may lie behind the latest time that the ledger has seen.
inline constexpr std::int64_t kClockToleranceSeconds = 60;

class Ledger final : public LedgerStore {
 public:
  /// `book` has a meta "ledger_uuid"; `clock` outlives the ledger.
  static Result<std::unique_ptr<LedgerStore>> over(std::unique_ptr<Book> book, const Clock& clock);

  std::string urn() const override { return "urn:topolaunch:ledger:" + uuid_; }
  Result<Hold> reserve(const ReserveRequest& request) override;
  Status enroll(const Grant& grant) override;
  Status start(const std::string& run_id, int epoch, const Owner& owner) override;
  Status renew(const std::string& run_id, int epoch, std::int64_t gpu_seconds) override;
  Result<std::int64_t> settle(const std::string& run_id, int epoch, std::int64_t gpu_seconds,
                              const std::string& exit_class) override;
  Status release(const std::string& run_id) override;
  Result<int> takeover(const std::string& run_id, const Owner& owner, const Witness& witness) override;
  Status refund(const std::string& refund_id, const std::string& run_id, std::int64_t gpu_seconds,
                const std::string& reason) override;
  Result<std::vector<RunRecord>> reap(const Witness& witness) override;
  Status revoke(const std::string& jti, const std::string& reason) override;
  Status accept_revocations(const std::string& issuer, std::int64_t sequence, const std::vector<std::string>& jtis,
                            const std::vector<std::string>& kids) override;
  Result<std::optional<std::string>> revoked(const std::string& jti, const std::string& kid,
                                             const std::string& issuer) override;
  Status check_clock() override;
  Result<std::optional<Balance>> balance(const std::string& jti) override;
  Result<std::vector<Balance>> balances() override;
  Result<std::vector<RunRecord>> runs() override;
  Result<std::vector<JournalEntry>> journal() override;
  Result<JournalCheck> check_journal() override;

 private:
  Ledger(std::unique_ptr<Book> book, const Clock& clock, std::string uuid)
      : book_(std::move(book)), clock_(clock), uuid_(std::move(uuid)) {}

  /// Runs `body(now)` in a transaction: commits if it succeeds, else leaves no trace.
  template <class Body>
  auto transact(bool writing, Body body) -> decltype(body(std::int64_t{}));
  Result<std::int64_t> last_time();
  Status guard_clock(std::int64_t last) const;
  Status write(const Change& change, bool new_run, std::int64_t now);
  Status post(const std::string& jti, const std::string& run_id, const Posting& posting, std::int64_t now);
  Result<Balance> open_account(const Grant& grant, std::int64_t now);
  /// Account and run of `run_id`, changed by `rule`; the run is written if anything is.
  Result<Change> apply(const std::string& run_id, std::int64_t now,
                       const std::function<Result<Change>(Balance, RunRecord)>& rule);
  Result<std::optional<std::string>> why_revoked(const std::string& jti, const std::string& kid,
                                                 const std::string& issuer);

  std::unique_ptr<Book> book_;
  const Clock& clock_;
  std::string uuid_;
};

}  // namespace topolaunch::quota
