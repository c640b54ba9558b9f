// SPDX-License-Identifier: Apache-2.0
//
// Text as it comes out of a terminal and through people's hands: lines with their numbers, without
// escape sequences, carriage returns and byte order mark; and the words of such a line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topolaunch::topo::smi {

struct Line {
  int number = 0;
  std::string text;
  bool whole = true;  ///< false: the text ends here without a newline
};

std::vector<Line> lines_of(std::string_view text);
/// The same without "[4m" and "[0m", which is what web pages and chats leave of a colour. For tables of
/// nvidia-smi alone: in YAML "[5m, 10m]" is a list.
std::vector<Line> pasted_lines_of(std::string_view text);

/// Split at blanks and tabs; none of the words is empty.
std::vector<std::string_view> words_of(std::string_view line);
std::string_view trimmed(std::string_view text);

/// "GPU12" -> 12 for the prefix "GPU"; nothing if anything else follows the prefix.
std::optional<int> number_behind(std::string_view word, std::string_view prefix);
/// The whole of `text` as a number from 0 to 1,000,000.
std::optional<int> whole_number(std::string_view text);

}  // namespace topolaunch::topo::smi
