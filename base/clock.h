// SPDX-License-Identifier: Apache-2.0
//
// Port: time. Wall time for records and claims, boot time (CLOCK_BOOTTIME: goes on in suspend,
// never steps) for durations that are charged.
#pragma once

#include <cstdint>
#include <string>

namespace topolaunch {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t unix_seconds() const = 0;  ///< seconds since 1970-01-01 UTC
  virtual double unix_time() const = 0;           ///< the same with fractions
  virtual double boot_seconds() const = 0;        ///< CLOCK_BOOTTIME
};

class SystemClock final : public Clock {
 public:
  std::int64_t unix_seconds() const override;
  double unix_time() const override;
  double boot_seconds() const override;
};

/// "2026-11-30T13:45:12Z"; "@SECONDS" for a time that no calendar reaches.
std::string iso8601(std::int64_t unix_seconds);

}  // namespace topolaunch
