// SPDX-License-Identifier: Apache-2.0
//
// LineCursor: walks over one line of a tool's text, taking what it knows. What it doesn't find it leaves
// where it is.
#pragma once

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace topolaunch::topo {

class LineCursor {
 public:
  explicit LineCursor(std::string_view line) : rest_(line) {}
  void blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size())); }
  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  /// A number of zero or more, less than `most`.
  std::optional<int> number(int most) {
    int value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc{} || value < 0 || value >= most) return {};
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  /// What stands between two `mark`s.
  std::optional<std::string_view> quoted(char mark = '"') {
    if (rest_.empty() || rest_.front() != mark) return {};
    const auto end = rest_.find(mark, 1);
    if (end == std::string_view::npos) return {};
    const auto inside = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return inside;
  }
  std::string_view word() {
    const auto found = rest_.substr(0, rest_.find_first_of(" \t"));
    rest_.remove_prefix(found.size());
    return found;
  }
  void parenthesis() {  // "(a088c20300200000)"
    if (!rest_.starts_with('(')) return;
    const auto end = rest_.find(')');
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

}  // namespace topolaunch::topo
