// SPDX-License-Identifier: Apache-2.0
//
// ASCII letters in lower case, whatever the locale; other bytes stay.
#pragma once

#include <string>
#include <string_view>

namespace topolaunch {

inline std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

}  // namespace topolaunch
