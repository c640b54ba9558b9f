// SPDX-License-Identifier: Apache-2.0
#include "bench/topobench/gpu_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>

namespace topolaunch::bench {
namespace {

constexpr int kIdle = 10;  ///< percent

void lower(std::optional<int>& least, const std::optional<int>& value) {
  if (value && (!least || *value < *least)) least = value;
}

void raise(std::optional<int>& most, const std::optional<int>& value) {
  if (value && (!most || *value > *most)) most = value;
}

}  // namespace

void GpuWatch::wait_until_idle(Seconds patience) {
  const auto begin = std::chrono::steady_clock::now();
  while (true) {
    record_.busy_before = look_().busy;
    record_.waited = std::chrono::steady_clock::now() - begin;
    if (record_.busy_before.value_or(0) <= kIdle || record_.waited >= patience) return;
    std::this_thread::sleep_for(between_);
  }
}

void GpuWatch::begin() {
  stopping_ = false;
  thread_ = std::thread([this] {
    std::unique_lock lock(mutex_);
    do {
      lock.unlock();
      const topo::GpuHealth health = look_();
      lock.lock();
      add(health);
    } while (!stop_requested_.wait_for(lock, between_, [this] { return stopping_; }));
  });
}

GpuRecord GpuWatch::end() {
  if (thread_.joinable()) {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    stop_requested_.notify_one();
    thread_.join();
  }
  return record_;
}

void GpuWatch::add(const topo::GpuHealth& health) {
  lower(record_.sm_clock_lowest, health.sm_clock);
  raise(record_.sm_clock_highest, health.sm_clock);
  raise(record_.sm_clock_most, health.sm_clock_most);
  raise(record_.temperature_highest, health.temperature);
  for (const std::string& reason : health.held_back) {
    if (std::ranges::find(record_.held_back, reason) == record_.held_back.end()) {
      record_.held_back.push_back(reason);
    }
  }
}

std::vector<std::string> notes_on(const GpuRecord& record, const std::string& device) {
  std::vector<std::string> notes;
  if (record.busy_before.value_or(0) > kIdle) {
    notes.push_back(fmt::format("rank {}: GPU {} was {} % busy with something else", record.rank,
                                device, *record.busy_before));
  }
  std::vector<std::string> faults;
  std::ranges::copy_if(record.held_back, std::back_inserter(faults), topo::is_fault);
  if (!faults.empty()) {
    std::string figures;
    if (record.sm_clock_lowest && record.sm_clock_most) {
      figures = fmt::format(", SM clock down to {} of {} MHz", *record.sm_clock_lowest, *record.sm_clock_most);
    }
    if (record.temperature_highest) figures += fmt::format(", {} C", *record.temperature_highest);
    notes.push_back(fmt::format("rank {}: GPU {} was held back: {}{}", record.rank, device,
                                fmt::join(faults, ", "), figures));
  }
  return notes;
}

}  // namespace topolaunch::bench
