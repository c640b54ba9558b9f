// SPDX-License-Identifier: Apache-2.0
//
// How a verb talks while it works: main decides where to. stdout is never used for it.
#pragma once

#include <functional>
#include <string>

namespace topolaunch::launcher {

struct Voice {
  std::function<void(const std::string&)> say;     ///< not with --quiet
  std::function<void(const std::string&)> detail;  ///< with --verbose only
};

/// What a verb ends with: text for stdout and the exit status.
struct Answer {
  std::string out;
  int status = 0;
};

}  // namespace topolaunch::launcher
