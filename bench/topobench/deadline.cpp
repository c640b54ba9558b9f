// SPDX-License-Identifier: Apache-2.0
#include "bench/topobench/deadline.h"

#include <algorithm>
#include <chrono>

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
  // Whoever sees a part of the new step sees an odd number, or the next even one, after it.
  constexpr auto release = std::memory_order_release;
  const std::uint64_t number = written_.load(std::memory_order_relaxed);
  written_.store(number + 1, release);
  phase_.store(step.phase, release);
  size_.store(step.size, release);
  placement_.store(step.placement, release);
  iteration_.store(step.iteration, release);
  active_.store(true, release);
  written_.store(number + 2, release);
}

void Deadline::rest() { active_.store(false, std::memory_order_relaxed); }

Step Deadline::step_now() const {
  constexpr auto acquire = std::memory_order_acquire;
  return {phase_.load(acquire), size_.load(acquire), placement_.load(acquire),
          iteration_.load(acquire)};
}

void Deadline::watch(OnExpiry on_expiry) {
  // Looks from time to time instead of being woken by each step: a wake-up per timed run would be
  // part of what is measured. A step counts from the look that has first seen it.
  using Steady = std::chrono::steady_clock;
  const Seconds interval = std::clamp(limit_ / 20, Seconds(0.0005), Seconds(0.25));
  std::uint64_t seen = 0;
  auto since = Steady::now();
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    stop_requested_.wait_for(lock, interval);
    const std::uint64_t now = written_.load(std::memory_order_acquire);
    if (now != seen || now % 2 == 1 || !active_.load(std::memory_order_relaxed)) {
      seen = now;
      since = Steady::now();
      continue;
    }
    if (stopping_ || Steady::now() - since < limit_) continue;
    const Step late = step_now();
    if (written_.load(std::memory_order_relaxed) != seen) continue;  // it has just ended
    lock.unlock();
    on_expiry(late, limit_);
    return;
  }
}

}  // namespace topolaunch::bench
