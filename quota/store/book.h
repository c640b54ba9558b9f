// SPDX-License-Identifier: Apache-2.0
//
// What a store has to be able to keep: rows by their keys, inside transactions. The rules of the
// ledger stand once, in quota/ledger.cpp, on top of this.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "quota/ledger_store.h"

namespace topolaunch::quota {

class Book {
 public:
  virtual ~Book() = default;
  /// Starts a transaction; `writing` ones exclude each other from their very start, so that what is
  /// read in them stays true until commit.
  virtual Status begin(bool writing) = 0;
  virtual Status commit() = 0;
  virtual void rollback() = 0;

  virtual Result<std::optional<std::string>> meta(const std::string& name) = 0;
  virtual Status set_meta(const std::string& name, const std::string& value) = 0;

  /// gpus_in_use is summed over the open runs.
  virtual Result<std::optional<Balance>> account(const std::string& jti) = 0;
  virtual Result<std::vector<Balance>> accounts() = 0;
  virtual Status add_account(const Balance& account) = 0;
  /// Only settled, held and refunded change. Refused (internal) if settled + held - refunded would
  /// go over the budget or anything below zero, whatever the rules above said.
  virtual Status put_account(const Balance& account) = 0;

  virtual Result<std::optional<RunRecord>> run(const std::string& run_id) = 0;
  virtual Result<std::vector<RunRecord>> runs(bool open_only) = 0;
  virtual Status add_run(const RunRecord& run) = 0;
  virtual Status put_run(const RunRecord& run) = 0;

  virtual Result<std::optional<JournalEntry>> last_entry() = 0;
  virtual Result<std::vector<JournalEntry>> entries() = 0;
  virtual Status append(const JournalEntry& entry) = 0;

  struct Refund {
    std::string id, run_id, reason;
    std::int64_t gpu_seconds = 0;
  };
  virtual Result<std::optional<Refund>> refund(const std::string& id) = 0;
  virtual Status add_refund(const Refund& refund) = 0;

  /// `kind` is "jti" (by this ledger), "jti of ISSUER" or "kid of ISSUER" (by a signed list).
  virtual Result<std::optional<std::string>> revoked(const std::string& kind, const std::string& id) = 0;
  virtual Status add_revoked(const std::string& kind, const std::string& id, const std::string& reason) = 0;
};

}  // namespace topolaunch::quota
