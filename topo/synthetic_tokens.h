// SPDX-License-Identifier: Apache-2.0
//
// The words of a "synthetic:" spec and what numbers and ratios among them say.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topolaunch::topo {

struct SpecToken {
  std::string text;    ///< lower case
  std::size_t at = 0;  ///< position in the spec
};

/// Splits at blanks, commas and semicolons, and a number from the word that it is glued to.
std::vector<SpecToken> spec_tokens(std::string_view text);

/// "hosts" -> "host", "leaves" -> "leaf".
std::string singular(std::string_view word);

/// A whole number from 0; one that is too big for an int is 2^30.
std::optional<int> number_of(const SpecToken& token);

/// "4:1" -> 4; nothing beyond a factor of 1,000 either way.
std::optional<double> ratio_of(const SpecToken& token);

/// "host/leaf" -> 0, "leaf/spine" -> 1; the level of the child.
std::optional<int> fan_in_of(std::string_view word);

}  // namespace topolaunch::topo
