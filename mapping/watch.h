// SPDX-License-Identifier: Apache-2.0
//
// Watch: who looks at a search while it runs. It may end the search early, which then returns the
// best that it has; a search that nobody ends gives the same answer every time.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace topolaunch::mapping {

struct Watch {
  std::function<bool()> stopped;  ///< asked often, so it must be cheap; once true, true for ever
  /// What runs now ("hierarchy"), and the best T and J so far (T = 0: no bandwidth known).
  std::function<void(const std::string& stage, double seconds, double hop_bytes)> report;
};

inline bool stopped(const Watch* watch) {
  return watch != nullptr && watch->stopped && watch->stopped();
}
inline bool stopped(const std::shared_ptr<const Watch>& watch) { return stopped(watch.get()); }

}  // namespace topolaunch::mapping
