// SPDX-License-Identifier: Apache-2.0
//
// Looks at a GPU while it is measured: first until nobody else computes on it, then a few times a
// second from a thread of its own.
//
//   GpuWatch watch([&] { return monitor.look(); });
//   watch.wait_until_idle(Seconds(10));
//   watch.begin();
//   ... the measurement ...
//   GpuRecord record = watch.end();
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/units.h"
#include "bench/gpu_record.h"
#include "topo/source/nvml_health.h"

namespace topolaunch::bench {

class GpuWatch {
 public:
  using Look = std::function<topo::GpuHealth()>;
  explicit GpuWatch(Look look, Seconds between = Seconds(0.2))
      : look_(std::move(look)), between_(between) {}
  ~GpuWatch() { end(); }
  GpuWatch(const GpuWatch&) = delete;
  GpuWatch& operator=(const GpuWatch&) = delete;

  /// Returns once at most 10 % of a sample period went into somebody's kernels (the bound of DCGM's
  /// tests), or when patience is over. The caller's own GPU work must have ended.
  void wait_until_idle(Seconds patience);
  void begin();
  /// What was seen from begin() on, and before.
  GpuRecord end();

 private:
  void add(const topo::GpuHealth& health);

  const Look look_;
  const Seconds between_;
  std::mutex mutex_;
  std::condition_variable stop_requested_;
  bool stopping_ = false;
  std::thread thread_;
  GpuRecord record_;  ///< written by the thread between begin() and end()
};

/// What a reader of the figures should know of it; `device`: "0000:18:00.0 on g3".
std::vector<std::string> notes_on(const GpuRecord& record, const std::string& device);

}  // namespace topolaunch::bench
