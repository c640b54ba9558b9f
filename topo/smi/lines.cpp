// SPDX-License-Identifier: Apache-2.0
#include "topo/smi/lines.h"

#include <cctype>
#include <charconv>

namespace topolaunch::topo::smi {
namespace {

constexpr int kLargest = 1'000'000;

/// Drops ECMA-48 control sequences ("\x1b[4m") and other control characters but the tab.
std::string printable(std::string_view line) {
  std::string out;
  out.reserve(line.size());
  for (std::size_t i = 0; i < line.size(); ++i) {
    const auto c = static_cast<unsigned char>(line[i]);
    if (c == 0x1b) {
      if (i + 1 < line.size() && line[i + 1] == '[') {
        i += 2;
        while (i < line.size() && (line[i] < 0x40 || line[i] > 0x7e)) ++i;
      }
      continue;
    }
    if (c == '\t' || c >= 0x20) out += static_cast<char>(c);
  }
  return out;
}

/// Length of "[4m", "[1;31m" or "[m" at `at`; 0 for anything else.
std::size_t colour_at(std::string_view line, std::size_t at) {
  if (line[at] != '[') return 0;
  const auto end = line.find_first_not_of("0123456789;", at + 1);
  return end != std::string_view::npos && line[end] == 'm' ? end + 1 - at : 0;
}

}  // namespace

std::vector<Line> lines_of(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::vector<Line> lines;
  int number = 0;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const bool whole = end != std::string_view::npos;
    lines.push_back({++number, printable(text.substr(0, end)), whole});
    text.remove_prefix(whole ? end + 1 : text.size());
  }
  return lines;
}

std::vector<Line> pasted_lines_of(std::string_view text) {
  auto lines = lines_of(text);
  for (Line& line : lines) {
    for (std::size_t at = 0; at < line.text.size();) {
      const auto length = colour_at(line.text, at);
      if (length == 0) ++at;
      line.text.erase(at, length);
    }
  }
  return lines;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < line.size();) {
    const auto begin = line.find_first_not_of(" \t", i);
    if (begin == std::string_view::npos) break;
    const auto end = std::min(line.find_first_of(" \t", begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    i = end;
  }
  return words;
}

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || text.front() == '-' || error != std::errc{} ||
      end != text.data() + text.size() || value > kLargest) {
    return {};
  }
  return value;
}

std::optional<int> number_behind(std::string_view word, std::string_view prefix) {
  if (!word.starts_with(prefix)) return {};
  return whole_number(word.substr(prefix.size()));
}

}  // namespace topolaunch::topo::smi
