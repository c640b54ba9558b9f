// SPDX-License-Identifier: Apache-2.0
#include "topo/csv_rows.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include "base/lower_case.h"

namespace topolaunch::topo {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  const auto last = text.find_last_not_of(" \t\r");
  return text.substr(first, last + 1 - first);
}

/// The separator that the first line has most of, quotes aside.
char separator_of(std::string_view line) {
  std::array<std::pair<char, int>, 3> seen{{{';', 0}, {'\t', 0}, {',', 0}}};
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    for (auto& [separator, count] : seen) count += !quoted && c == separator ? 1 : 0;
  }
  return std::max_element(seen.begin(), seen.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

std::vector<std::string> cells_of(std::string_view line, char separator) {
  std::vector<std::string> cells;
  std::string cell;
  bool quoted = false;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    const char c = i < line.size() ? line[i] : separator;
    if (i < line.size() && c == '"') {
      if (quoted && i + 1 < line.size() && line[i + 1] == '"') {
        cell += '"';
        ++i;
      } else {
        quoted = !quoted;
      }
    } else if (i == line.size() || (c == separator && !quoted)) {
      cells.emplace_back(trimmed(cell));
      cell.clear();
    } else {
      cell += c;
    }
  }
  return cells;
}

}  // namespace

CsvTable csv_rows(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  CsvTable table;
  bool first = true;
  for (int number = 1; !text.empty(); ++number) {
    const auto end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    // Not trimmed to split it: a row may begin with an empty cell and a tab.
    const std::string_view whole = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line.starts_with('#')) continue;
    if (first) table.separator = separator_of(whole);
    first = false;
    table.rows.push_back({number, cells_of(whole, table.separator)});
  }
  return table;
}

bool csv_no_value(std::string_view cell) {
  const auto text = lower_case(trimmed(cell));
  return text.empty() || text == "-" || text.starts_with("n/a") || text == "nan" || text == "na" ||
         text == "null";
}

std::optional<double> csv_number(std::string_view cell, char separator) {
  std::string text(trimmed(cell));
  if (separator != ',' && std::count(text.begin(), text.end(), ',') == 1 &&
      text.find('.') == std::string::npos) {
    std::replace(text.begin(), text.end(), ',', '.');
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

}  // namespace topolaunch::topo
