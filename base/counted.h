// SPDX-License-Identifier: Apache-2.0
//
// Numbers and what they count, in words: counted(1, "host") is "1 host", counted(2, "leaf")
// "2 leaves". Nouns come from files as well (levels of a fabric), some of them plural already.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

namespace topolaunch {

/// "switches", "leaves", "toruses"; "blocks" stays as it is.
std::string plural_of(std::string_view noun);

/// With the plural where plural_of() would not know it.
std::string counted(std::size_t n, std::string_view one, std::string_view many);

template <class N>
requires std::is_integral_v<N> std::string counted(N n, std::string_view noun) {
  return counted(static_cast<std::size_t>(n), noun, plural_of(noun));
}

}  // namespace topolaunch
