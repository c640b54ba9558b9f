// SPDX-License-Identifier: Apache-2.0
//
// Seam: where grants, runs and their charges are kept. Every call is one transaction. The unit is
// the integer GPU-second. States of a run:
//   RESERVED -> RUNNING -> SETTLED | LOST -> SETTLED_ESTIMATED;  RESERVED -> RELEASED
// A run holds gpus x wall from reserve to settle, so a crash or an outage can never overspend.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

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
};

struct ReserveRequest {
  std::string run_id;  ///< UUIDv7; the same id again returns the first answer
  Grant grant;
  std::int64_t gpus = 0;
  std::int64_t wall_seconds = 0;
  std::string gpu_type;  ///< NVML model or instance type; empty = no GPU
  std::string user, host, command;
};

struct Hold {
  std::string run_id;
  int epoch = 1;                  ///< fencing: older epochs are refused
  std::int64_t gpu_seconds = 0;   ///< held
  std::int64_t wall_seconds = 0;  ///< may be cut by the window
  std::int64_t hold_until = 0;
  bool already = false;           ///< the run id was known: nothing new was held
};

struct RunRecord {
  std::string run_id, jti, team, project, user, host, command, state, boot_id;
  std::int64_t gpus = 0, held = 0, used = 0, refunded = 0;
  std::int64_t reserved_at = 0, started_at = 0, ended_at = 0, lease_until = 0, hold_until = 0;
  int epoch = 1;
  std::string exit_class;
};

struct Balance {
  Grant grant;
  std::int64_t settled = 0, held = 0, refunded = 0, gpus_in_use = 0;
};

class LedgerStore {
 public:
  virtual ~LedgerStore() = default;
  virtual std::string urn() const = 0;  ///< what a token's aud must equal: urn:topolaunch:ledger:UUID
  /// denied names the limit that is hit, in numbers; try_again if the store can't be reached.
  virtual Result<Hold> reserve(const ReserveRequest& request) = 0;
  virtual Status start(const std::string& run_id, int epoch, const std::string& boot_id,
                       std::int64_t owner_pid) = 0;
  /// Cumulative use so far; extends the lease. denied if fenced by a newer epoch.
  virtual Status renew(const std::string& run_id, int epoch, std::int64_t gpu_seconds) = 0;
  /// Final use; a second call returns the first answer's charge.
  virtual Result<std::int64_t> settle(const std::string& run_id, int epoch,
                                      std::int64_t gpu_seconds, const std::string& exit_class) = 0;
  virtual Status release(const std::string& run_id) = 0;
  virtual Status refund(const std::string& refund_id, const std::string& run_id,
                        std::int64_t gpu_seconds, const std::string& reason) = 0;
  /// Settles or releases what nobody can be running any more; returns the runs touched.
  virtual Result<std::vector<RunRecord>> reap(const std::string& host, const std::string& boot_id) = 0;
  virtual Result<std::vector<Balance>> balances() = 0;
  virtual Result<std::vector<RunRecord>> runs() = 0;
};

}  // namespace topolaunch::quota
