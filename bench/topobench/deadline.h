// SPDX-License-Identifier: Apache-2.0
//
// A limit on every step. A collective that hangs can't be interrupted from inside; a thread of its
// own watches, and says in words which step it was that didn't end.
//
//   Deadline deadline(Seconds(60), [](const Step& step, Seconds limit) { say so and end });
//   deadline.step({"timed run", 1 << 20, "in place", 3});
//   ... the step ...
//   deadline.rest();
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "base/units.h"

namespace topolaunch::bench {

/// What is being done. The texts are literals: a step is begun between two timed runs and has to
/// cost nothing.
struct Step {
  const char* phase = "";      ///< "warm-up", "timed run", "check"
  std::int64_t size = -1;      ///< bytes; -1 = not about a size
  const char* placement = "";  ///< "in place", "out of place"
  int iteration = -1;
};
/// "timed run 3 of 1 MiB, in place"
std::string to_text(const Step& step);

class Deadline {
 public:
  using OnExpiry = std::function<void(const Step&, Seconds limit)>;
  /// Calls `on_expiry` from a thread of its own, once, when a step takes longer than `limit`; a
  /// limit of 0 watches nothing. The step is noticed at most limit/10 (and half a second) late.
  Deadline(Seconds limit, OnExpiry on_expiry);
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  /// Ends the step before, begins this one. No lock and no clock: ranks that come to a barrier at
  /// different times leave it at different times, and a run of two microseconds shows that.
  void step(const Step& step);
  void rest();  ///< nothing is being done that may not last

 private:
  void watch(OnExpiry on_expiry);
  Step step_now() const;
  const Seconds limit_;
  std::mutex mutex_;
  std::condition_variable stop_requested_;
  bool stopping_ = false;
  /// Written by the one that measures, read by the one that watches; odd while a step is written.
  std::atomic<std::uint64_t> written_{0};
  std::atomic<bool> active_{false};
  std::atomic<const char*> phase_{""};
  std::atomic<std::int64_t> size_{-1};
  std::atomic<const char*> placement_{""};
  std::atomic<int> iteration_{-1};
  std::thread thread_;
};

}  // namespace topolaunch::bench
