// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include <ctime>

namespace topolaunch {
namespace {

double now(clockid_t which) {
  timespec t{};
  ::clock_gettime(which, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

}  // namespace

std::int64_t SystemClock::unix_seconds() const {
  return static_cast<std::int64_t>(std::time(nullptr));
}
double SystemClock::unix_time() const { return now(CLOCK_REALTIME); }
double SystemClock::boot_seconds() const { return now(CLOCK_BOOTTIME); }

std::string iso8601(std::int64_t unix_seconds) {
  const std::time_t t = unix_seconds;
  std::tm parts{};
  if (::gmtime_r(&t, &parts) == nullptr) return "@" + std::to_string(unix_seconds);
  char text[32];
  const std::size_t n = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return std::string(text, n);
}

}  // namespace topolaunch
