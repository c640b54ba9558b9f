// SPDX-License-Identifier: Apache-2.0
//
// One line on the terminal, written over while something takes long, and wiped in the end.
#pragma once

#include <string>

namespace topolaunch::launcher {

class ProgressLine {
 public:
  ProgressLine() = default;
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();
  /// Whether there is a terminal to draw on (stderr).
  static bool possible();
  void draw(const std::string& text);

 private:
  bool shown_ = false;
};

}  // namespace topolaunch::launcher
