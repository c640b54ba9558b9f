// SPDX-License-Identifier: Apache-2.0
#include "launcher/progress_line.h"

#include <unistd.h>

namespace topolaunch::launcher {
namespace {

void write(const std::string& text) {
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

}  // namespace

bool ProgressLine::possible() { return ::isatty(STDERR_FILENO) == 1; }

void ProgressLine::draw(const std::string& text) {
  shown_ = true;
  write("\r\x1b[K" + text);
}

ProgressLine::~ProgressLine() {
  if (shown_) write("\r\x1b[K");
}

}  // namespace topolaunch::launcher
