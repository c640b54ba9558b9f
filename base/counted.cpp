// SPDX-License-Identifier: Apache-2.0
#include "base/counted.h"

#include <array>

namespace topolaunch {

std::string plural_of(std::string_view noun) {
  std::string text(noun);
  if (text.empty()) return text;
  if (noun == "leaf" || noun.ends_with(" leaf")) return text.substr(0, text.size() - 1) + "ves";
  constexpr std::array<std::string_view, 6> kHissing{"us", "ss", "x", "ch", "sh", "z"};
  for (const std::string_view end : kHissing) {
    if (noun.ends_with(end)) return text + "es";
  }
  if (noun.ends_with('s')) return text;
  constexpr std::string_view kVowels = "aeiou";
  if (noun.size() > 1 && noun.ends_with('y') &&
      kVowels.find(noun[noun.size() - 2]) == std::string_view::npos) {
    return text.substr(0, text.size() - 1) + "ies";
  }
  return text + "s";
}

std::string counted(std::size_t n, std::string_view one, std::string_view many) {
  return std::to_string(n) + " " + std::string(n == 1 ? one : many);
}

}  // namespace topolaunch
