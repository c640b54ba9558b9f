// SPDX-License-Identifier: Apache-2.0
//
// What each call does to a run and its account, as pure functions: values in, values and postings
// out. Every store is these rules over its own way of keeping rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "quota/ledger_store.h"

namespace topolaunch::quota {

/// A running job that has not renewed by then counts as lost, unless its launcher is seen alive.
/// Launchers renew about every 10 s.
inline constexpr std::int64_t kLeaseSeconds = 120;
/// A reservation that has not started by then is given back, unless its launcher is seen alive:
/// between the two lies a validation of the placement, which may take minutes.
inline constexpr std::int64_t kReserveLeaseSeconds = 600;
/// Beyond its wall limit a run may take this long to be ended and settled before its whole hold is
/// charged unseen.
inline constexpr std::int64_t kHoldGraceSeconds = 300;
/// hold_until of a run without a wall limit (it holds nothing).
inline constexpr std::int64_t kOpenEndedSeconds = std::int64_t{35} * 86400;

struct Posting {
  std::string operation, from, to;  ///< accounts: "free", "held", "spent"
  std::int64_t amount = 0;
  std::string note;
};

/// Account and run as they are to be kept, and the journal lines that say why.
struct Change {
  Balance account;
  RunRecord run;
  std::vector<Posting> postings;
};

Result<Change> reserved(Balance account, const ReserveRequest& request, std::int64_t now);
Hold hold_of(const RunRecord& run, bool already);
/// denied if a token has other limits than the ledger's account of the same jti.
Status same_grant(const Grant& known, const Grant& token);
/// denied if a known run id comes back with another grant or count.
Status same_request(const RunRecord& run, const ReserveRequest& request);

Result<Change> started(Balance account, RunRecord run, int epoch, const Owner& owner, std::int64_t now);
Result<Change> renewed(Balance account, RunRecord run, int epoch, std::int64_t gpu_seconds, std::int64_t now);
/// No postings if the run had been settled before.
Result<Change> settled(Balance account, RunRecord run, int epoch, std::int64_t gpu_seconds,
                       const std::string& exit_class, std::int64_t now);
Result<Change> released(Balance account, RunRecord run, std::int64_t now);
Result<Change> taken_over(Balance account, RunRecord run, const Owner& owner, const Witness& witness,
                          std::int64_t now);
Result<Change> refunded(Balance account, RunRecord run, std::int64_t gpu_seconds, const std::string& reason);
/// Nothing if the run is to be left as it is.
std::optional<Change> reaped(Balance account, RunRecord run, const Witness& witness, std::int64_t now);

}  // namespace topolaunch::quota
