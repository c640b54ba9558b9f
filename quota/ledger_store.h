// SPDX-License-Identifier: Apache-2.0
//
// Seam: where grants, runs and their charges are kept. Every call is one transaction. The unit is
// the integer GPU-second. States of a run:
//   RESERVED -> RUNNING -> SETTLED | LOST -> SETTLED_ESTIMATED;  RESERVED -> RELEASED;  LOST -> RUNNING
// A run holds count x wall from reserve to settle, so a crash or an outage can never overspend.
// Time is the ledger's own: never behind the latest it has seen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "quota/demand.h"
#include "quota/owner.h"

namespace topolaunch::quota {

/// What a verified token allows; the ledger's account, keyed by the token's jti.
struct Grant {
  std::string jti, subject, team, project, issuer;
  std::int64_t gpus = 0;         ///< at once, over all runs
  std::int64_t gpu_seconds = 0;  ///< over its life
  int priority = 0;
  std::int64_t not_before = 0, expires = 0;          ///< unix seconds; bound the start of a run
  std::int64_t window_start = 0, window_end = 0;     ///< 0 = none; end is a hard stop
  std::int64_t max_wall_seconds = 0;                 ///< 0 = none
  std::vector<std::string> types;                    ///< exact names, or {"*"}
  friend bool operator==(const Grant&, const Grant&) = default;
};

struct ReserveRequest {
  std::string run_id;  ///< UUIDv7; the same id again returns the first answer
  Grant grant;
  std::string kid;     ///< key that signed the grant, held against the revoked ones; may be empty
  Demand demand;
  Owner owner;
};

struct Hold {
  std::string run_id;
  int epoch = 1;                  ///< fencing: older epochs are refused
  std::int64_t gpu_seconds = 0;   ///< held
  std::int64_t wall_seconds = 0;  ///< may be cut by the window or chosen by the grant; 0 = no limit
  std::string wall_why;           ///< why that wall limit, if it isn't what was asked for
  std::int64_t hold_until = 0;
  bool already = false;           ///< the run id was known: nothing new was held
};

struct RunRecord {
  std::string run_id, jti, team, project, user, host, command, state, boot_id;
  std::int64_t gpus = 0, held = 0, used = 0, refunded = 0;
  std::int64_t reserved_at = 0, started_at = 0, ended_at = 0, lease_until = 0, hold_until = 0;
  int epoch = 1;
  std::string exit_class;
  std::string subject, gpu_type, pid_namespace, wall_why;
  std::string unit = "GPU";
  std::int64_t wall_seconds = 0, pid = 0, pid_start = 0, renewed_at = 0;
  std::int64_t charged = 0;  ///< what was taken from the grant; less than `used` only if nothing was left

  bool open() const { return state == "RESERVED" || state == "RUNNING" || state == "LOST"; }
  Owner owner() const { return Owner{host, boot_id, pid_namespace, pid, pid_start}; }
};

struct Balance {
  Grant grant;
  std::int64_t settled = 0, held = 0, refunded = 0, gpus_in_use = 0;
  std::string revoked;  ///< why; empty = it isn't

  std::int64_t left() const { return grant.gpu_seconds - settled + refunded; }  ///< held or free
  std::int64_t free() const { return left() - held; }
};

/// One line of the journal: `amount` GPU-seconds moved between two of free, held, spent.
struct JournalEntry {
  std::int64_t sequence = 0, at = 0;
  std::string operation, jti, run_id, from, to;
  std::int64_t amount = 0;
  std::string note;
  std::string hash;  ///< SHA-256 over the previous hash and this line; 64 hexadecimal digits
};

struct JournalCheck {
  std::int64_t entries = 0;
  std::string head;       ///< hash of the last entry
  std::string broken;     ///< what doesn't fit: a changed entry, or sums that differ; empty = all fits
};

class LedgerStore {
 public:
  virtual ~LedgerStore() = default;
  virtual std::string urn() const = 0;  ///< what a token's aud must equal: urn:topolaunch:ledger:UUID
  /// denied names the limit that is hit, in numbers; try_again if it would fit once other runs have
  /// ended, or the store can't be reached. denied too for a revoked grant and a clock set back.
  virtual Result<Hold> reserve(const ReserveRequest& request) = 0;
  /// Makes the account known before its first run.
  virtual Status enroll(const Grant& grant) = 0;
  virtual Status start(const std::string& run_id, int epoch, const Owner& owner) = 0;
  /// Cumulative use so far; extends the lease. denied if fenced by a newer epoch or already ended.
  virtual Status renew(const std::string& run_id, int epoch, std::int64_t gpu_seconds) = 0;
  /// Final use; returns the charge. A second call returns the first answer's charge.
  virtual Result<std::int64_t> settle(const std::string& run_id, int epoch,
                                      std::int64_t gpu_seconds, const std::string& exit_class) = 0;
  virtual Status release(const std::string& run_id) = 0;
  /// Another launcher goes on with this run: the new epoch. denied while its owner may be alive.
  virtual Result<int> takeover(const std::string& run_id, const Owner& owner, const Witness& witness) = 0;
  /// Once per refund_id; at most what the run was charged, over all its refunds.
  virtual Status refund(const std::string& refund_id, const std::string& run_id,
                        std::int64_t gpu_seconds, const std::string& reason) = 0;
  /// Settles or releases what nobody can be running any more; returns the runs touched.
  virtual Result<std::vector<RunRecord>> reap(const Witness& witness) = 0;

  /// Nothing new starts on this grant; running jobs go on.
  virtual Status revoke(const std::string& jti, const std::string& reason) = 0;
  /// Takes over a signed list, one transaction; it counts for grants and keys of that issuer only.
  /// denied if `sequence` is below the highest one seen.
  virtual Status accept_revocations(const std::string& issuer, std::int64_t sequence,
                                    const std::vector<std::string>& jtis,
                                    const std::vector<std::string>& kids) = 0;
  /// Why this grant or key is revoked; nothing if it isn't.
  virtual Result<std::optional<std::string>> revoked(const std::string& jti, const std::string& kid,
                                                     const std::string& issuer) = 0;
  /// denied if this machine's clock lies behind what the ledger has seen (the last step of verification).
  virtual Status check_clock() = 0;

  virtual Result<std::optional<Balance>> balance(const std::string& jti) = 0;
  virtual Result<std::vector<Balance>> balances() = 0;
  virtual Result<std::vector<RunRecord>> runs() = 0;
  virtual Result<std::vector<JournalEntry>> journal() = 0;
  /// Recomputes the chain and the sums.
  virtual Result<JournalCheck> check_journal() = 0;
};

}  // namespace topolaunch::quota
