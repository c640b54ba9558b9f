// SPDX-License-Identifier: Apache-2.0
#include "bench/topobench/deadline.h"

#include <algorithm>

namespace topolaunch::bench {

std::string to_text(const Step& step) {
  std::string text = step.phase;
  if (step.iteration >= 0) text += " " + std::to_string(step.iteration);
  if (step.size >= 0) text += " of " + to_text(Bytes(step.size));
  if (*step.placement != '\0') text += std::string(", ") + step.placement;
  return text;
}

Deadline::Deadline(Seconds limit, OnExpiry on_expiry) : limit_(limit) {
  if (limit_.count() <= 0) return;
  thread_ = std::thread([this, expiry = std::move(on_expiry)]() mutable { watch(std::move(expiry)); });
}

Deadline::~Deadline() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_requested_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Deadline::step(const Step& step) {
  const std::lock_guard lock(mutex_);
  step_ = step;
  since_ = Steady::now();
  active_ = true;
}

void Deadline::rest() {
  const std::lock_guard lock(mutex_);
  active_ = false;
}

void Deadline::watch(OnExpiry on_expiry) {
  // Looks from time to time instead of being woken by each step: a wake-up per timed run would be
  // part of what is measured.
  const Seconds interval = std::clamp(limit_ / 10, Seconds(0.001), Seconds(0.5));
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    stop_requested_.wait_for(lock, interval);
    if (stopping_ || !active_ || Steady::now() - since_ < limit_) continue;
    const Step late = step_;
    active_ = false;
    lock.unlock();
    on_expiry(late, limit_);
    return;
  }
}

}  // namespace topolaunch::bench
