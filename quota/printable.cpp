// SPDX-License-Identifier: Apache-2.0
#include "quota/printable.h"

namespace topolaunch::quota {

std::string printable(std::string_view text, std::size_t most) {
  std::string out;
  for (const char c : text.substr(0, most)) out += c >= ' ' && c <= '~' ? c : '?';
  if (text.size() > most) out += "...";
  return out;
}

}  // namespace topolaunch::quota
