// SPDX-License-Identifier: Apache-2.0
//
// What a run holds of its grant, from reserve to settle, as a move-only value: a hold that is dropped
// gives itself back (not started) or settles with the time that has passed (started).
//
//   hold.start();                                  // just before the first rank is started
//   hold.heartbeat(elapsed);                       // about every ten seconds; not empty = end the job
//   hold.settle(elapsed, "ok");                    // after the last rank has ended
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/units.h"
#include "quota/ledger_store.h"

namespace topolaunch::quota {

class RunHold {
 public:
  /// `clock` outlives the hold. `count` GPUs (or ranks) are charged for every second.
  RunHold(std::unique_ptr<LedgerStore> ledger, Hold hold, std::int64_t count, Owner owner, const Clock& clock);
  RunHold(RunHold&& other) noexcept;
  RunHold& operator=(RunHold&& other) noexcept;
  ~RunHold();

  const std::string& run_id() const { return hold_.run_id; }
  std::int64_t gpu_seconds() const { return hold_.gpu_seconds; }
  std::optional<Seconds> wall_limit() const;           ///< to be enforced by the launcher; nothing = none
  const std::string& wall_why() const { return hold_.wall_why; }  ///< empty: it is what was asked for

  Status start();
  /// Tells the ledger how long the job has run. Empty, or the reason why the job must end: another
  /// launcher took the run over. A ledger that can't be reached is no reason: the hold still covers it.
  std::string heartbeat(Seconds elapsed);
  /// Charges what was used; returns the charge in GPU-seconds. If the ledger can't be reached the
  /// hold stays in it until the run is reaped, so nothing can be overspent.
  Result<std::int64_t> settle(Seconds elapsed, const std::string& exit_class);
  Status release();  ///< the job was never started

 private:
  enum class Stage { reserved, running, done };
  std::int64_t used(Seconds elapsed) const;
  void drop() noexcept;

  std::unique_ptr<LedgerStore> ledger_;
  Hold hold_;
  std::int64_t count_ = 0;
  Owner owner_;
  const Clock* clock_ = nullptr;
  Stage stage_ = Stage::done;
  double started_at_ = 0;  ///< boot clock
};

}  // namespace topolaunch::quota
