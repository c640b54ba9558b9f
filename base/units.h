// SPDX-License-Identifier: Apache-2.0
//
// Quantities with units. Time is std::chrono: Seconds is a double-valued duration.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace topolaunch {

using Seconds = std::chrono::duration<double>;

/// A number of bytes.
class Bytes {
 public:
  constexpr Bytes() = default;
  constexpr explicit Bytes(std::int64_t count) : count_(count) {}
  static constexpr Bytes kib(std::int64_t n) { return Bytes(n << 10); }
  static constexpr Bytes mib(std::int64_t n) { return Bytes(n << 20); }
  static constexpr Bytes gib(std::int64_t n) { return Bytes(n << 30); }
  constexpr std::int64_t count() const { return count_; }
  friend constexpr bool operator==(Bytes, Bytes) = default;
  friend constexpr auto operator<=>(Bytes, Bytes) = default;

 private:
  std::int64_t count_ = 0;
};

/// Bytes per second, one direction.
class Bandwidth {
 public:
  constexpr Bandwidth() = default;
  static constexpr Bandwidth bytes_per_second(double v) { return Bandwidth(v); }
  static constexpr Bandwidth gigabytes_per_second(double v) { return Bandwidth(v * 1e9); }
  static constexpr Bandwidth gigabits_per_second(double v) { return Bandwidth(v * 1e9 / 8); }
  static constexpr Bandwidth megabits_per_second(double v) { return Bandwidth(v * 1e6 / 8); }
  constexpr double bytes_per_second() const { return value_; }
  constexpr double gigabytes_per_second() const { return value_ / 1e9; }
  constexpr bool known() const { return value_ > 0; }
  friend constexpr Seconds operator/(Bytes bytes, Bandwidth b) {
    return Seconds(static_cast<double>(bytes.count()) / b.value_);
  }
  friend constexpr Bandwidth operator*(Bandwidth b, double k) { return Bandwidth(b.value_ * k); }
  friend constexpr bool operator==(Bandwidth, Bandwidth) = default;
  friend constexpr auto operator<=>(Bandwidth, Bandwidth) = default;

 private:
  constexpr explicit Bandwidth(double v) : value_(v) {}
  double value_ = 0;
};

/// "4096", "64K", "64KiB", "4M", "1.5GiB", "2GB" (K, M, G, T alone and with iB: powers of 1024;
/// kB, MB, GB, TB: powers of 1000).
Result<Bytes> parse_bytes(std::string_view text);
/// "200Mb/s", "200mbit", "25GB/s", "400Gb/s", "100Gbit". The unit is required; b/bit = bits, B =
/// bytes.
Result<Bandwidth> parse_bandwidth(std::string_view text);
/// "90", "90s", "5m", "1h30m", "00:05:00", "1-12:00:00", "250ms".
Result<Seconds> parse_duration(std::string_view text);

std::string to_text(Bytes bytes);          ///< "4 MiB"
std::string to_text(Bandwidth bandwidth);  ///< "25 GB/s"
std::string to_text(Seconds duration);     ///< "1.25 ms", "3 min 20 s"

}  // namespace topolaunch
