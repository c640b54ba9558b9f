// SPDX-License-Identifier: Apache-2.0
#include "quota/hold.h"

#include <cmath>
#include <utility>

namespace topolaunch::quota {

RunHold::RunHold(std::unique_ptr<LedgerStore> ledger, Hold hold, std::int64_t count, Owner owner, const Clock& clock)
    : ledger_(std::move(ledger)),
      hold_(std::move(hold)),
      count_(count),
      owner_(std::move(owner)),
      clock_(&clock),
      stage_(Stage::reserved) {}

RunHold::RunHold(RunHold&& other) noexcept
    : ledger_(std::move(other.ledger_)),
      hold_(std::move(other.hold_)),
      count_(other.count_),
      owner_(std::move(other.owner_)),
      clock_(other.clock_),
      stage_(std::exchange(other.stage_, Stage::done)),
      started_at_(other.started_at_) {}

RunHold& RunHold::operator=(RunHold&& other) noexcept {
  if (this == &other) return *this;
  drop();
  ledger_ = std::move(other.ledger_);
  hold_ = std::move(other.hold_);
  count_ = other.count_;
  owner_ = std::move(other.owner_);
  clock_ = other.clock_;
  stage_ = std::exchange(other.stage_, Stage::done);
  started_at_ = other.started_at_;
  return *this;
}

RunHold::~RunHold() { drop(); }

void RunHold::drop() noexcept {
  try {
    if (stage_ == Stage::reserved) static_cast<void>(release());
    if (stage_ == Stage::running) {
      static_cast<void>(settle(Seconds(clock_->boot_seconds() - started_at_), "launcher_ended_early"));
    }
  } catch (...) {  // out of memory: the next reap finds the run
  }
  stage_ = Stage::done;
}

std::optional<Seconds> RunHold::wall_limit() const {
  if (hold_.wall_seconds <= 0) return {};
  return Seconds(static_cast<double>(hold_.wall_seconds));
}

std::int64_t RunHold::used(Seconds elapsed) const {
  const double seconds = elapsed.count();
  if (!(seconds > 0) || count_ <= 0) return 0;
  // Part seconds count whole, so that many short runs are not free.
  return static_cast<std::int64_t>(std::ceil(std::min(seconds, 1e9) * static_cast<double>(count_)));
}

Status RunHold::start() {
  if (auto started = ledger_->start(hold_.run_id, hold_.epoch, owner_); !started) return started;
  stage_ = Stage::running;
  started_at_ = clock_->boot_seconds();
  return {};
}

std::string RunHold::heartbeat(Seconds elapsed) {
  if (stage_ != Stage::running) return {};
  const auto renewed = ledger_->renew(hold_.run_id, hold_.epoch, used(elapsed));
  if (renewed || renewed.error().code != Code::denied) return {};
  return renewed.error().message;
}

Result<std::int64_t> RunHold::settle(Seconds elapsed, const std::string& exit_class) {
  stage_ = Stage::done;
  return ledger_->settle(hold_.run_id, hold_.epoch, used(elapsed), exit_class);
}

Status RunHold::release() {
  stage_ = Stage::done;
  return ledger_->release(hold_.run_id);
}

}  // namespace topolaunch::quota
