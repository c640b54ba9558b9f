// SPDX-License-Identifier: Apache-2.0
#include "topo/smi/prefix.h"

#include <algorithm>
#include <cctype>

namespace topolaunch::topo::smi {
namespace {

/// Its length; 0 = the line has none.
std::size_t length_of(std::string_view line) {
  const auto begin = line.find_first_not_of(' ');  // srun aligns the numbers of its tasks
  if (begin == std::string_view::npos) return 0;
  if (line[begin] == '>') {
    const auto end = line.find_first_not_of("> ", begin);
    return line.find_last_of('>', end) + 1;
  }
  const auto end = std::find_if_not(
      line.begin() + static_cast<std::ptrdiff_t>(begin), line.end(),
      [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '.' || c == '_'; });
  const auto colon = static_cast<std::size_t>(end - line.begin());
  if (colon == begin || colon == line.size() || line[colon] != ':') return 0;
  const bool ends = colon + 1 == line.size() || line[colon + 1] == ' ' || line[colon + 1] == '\t';
  return ends ? colon + 1 : 0;
}

/// The host's name in "node001:"; empty for "> " and "12:".
std::string host_of(std::string_view prefix) {
  const auto name = prefix.substr(0, prefix.size() - 1);
  const bool named =
      std::ranges::any_of(name, [](unsigned char c) { return std::isalpha(c) != 0; });
  return named ? std::string(name) : std::string();
}

}  // namespace

Prefix strip_prefix(std::vector<Line>& lines) {
  Prefix prefix;
  for (const Line& line : lines) {
    if (trimmed(line.text).empty()) continue;
    const auto length = length_of(line.text);
    if (length == 0) return {};
    const std::string own(trimmed(line.text.substr(0, length)));
    if (prefix.text.empty()) prefix.text = own;
    if (own == prefix.text || own.front() == '>' || !prefix.other.empty()) continue;
    prefix.other = own;
    prefix.other_line = line.number;
  }
  prefix.host = prefix.text.empty() ? std::string() : host_of(prefix.text);
  for (Line& line : lines) {
    auto length = length_of(line.text);
    if (length > 0 && length < line.text.size() && line.text[length] == ' ') ++length;
    line.text.erase(0, length);
  }
  return prefix;
}

}  // namespace topolaunch::topo::smi
