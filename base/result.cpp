// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

namespace topolaunch {

std::string Error::text() const {
  std::string out;
  if (!file.empty()) {
    out += file;
    if (line > 0) out += ":" + std::to_string(line);
    out += ": ";
  }
  out += message;
  if (!next.empty()) out += "; " + next;
  return out;
}

}  // namespace topolaunch
