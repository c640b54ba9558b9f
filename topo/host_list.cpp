// SPDX-License-Identifier: Apache-2.0
#include "topo/host_list.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>

namespace topolaunch::topo {
namespace {

constexpr std::uint64_t kMaxRange = 65536;      // Slurm 22.05 hostlist.c MAX_RANGE
constexpr std::size_t kMaxNames = std::size_t{1} << 20;

tl::unexpected<Error> refuse(std::string_view part, std::string_view why) {
  return fail(Code::wrong_usage, fmt::format("host list '{}': {}", part, why),
              "write it like g[001-004,007],login-a");
}

bool is_name_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' || c == '_' ||
         c == ':' || c == '%';
}

/// "1-3,007": the numbers as written, zeros kept. Nothing if it isn't such a list.
Result<std::vector<std::string>> expand_brackets(std::string_view inside, std::string_view part) {
  std::vector<std::string> numbers;
  while (true) {
    const auto comma = inside.find(',');
    const std::string_view range = inside.substr(0, comma);
    const auto dash = range.find('-');
    const std::string_view low = range.substr(0, dash);
    const std::string_view high = dash == std::string_view::npos ? low : range.substr(dash + 1);
    const auto number = [](std::string_view digits) -> std::optional<std::uint64_t> {
      std::uint64_t value = 0;
      if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) return {};
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
      if (error != std::errc{} || digits.size() > 18) return {};
      return value;
    };
    const auto first = number(low);
    const auto last = number(high);
    if (!first || !last || *last < *first) {
      return refuse(part, fmt::format("'{}' is not a range of numbers", range));
    }
    if (*last - *first >= kMaxRange) {
      return refuse(part, fmt::format("'{}' is more than {} hosts", range, kMaxRange));
    }
    for (std::uint64_t n = *first; n <= *last; ++n) {
      numbers.push_back(fmt::format("{:0{}}", n, low.size()));
    }
    if (comma == std::string_view::npos) return numbers;
    inside.remove_prefix(comma + 1);
  }
}

/// One comma-separated part: text and brackets in turn.
Status expand_part(std::string_view part, std::vector<std::string>& names) {
  std::vector<std::string> text(1);               // text[i] stands before brackets[i]
  std::vector<std::vector<std::string>> brackets;
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part[i] == '[') {
      const auto close = part.find(']', i);
      if (close == std::string_view::npos) return refuse(part, "a bracket is not closed");
      auto numbers = expand_brackets(part.substr(i + 1, close - i - 1), part);
      if (!numbers) return tl::unexpected(std::move(numbers).error());
      brackets.push_back(std::move(*numbers));
      text.emplace_back();
      i = close;
    } else if (is_name_letter(part[i])) {
      text.back() += part[i];
    } else {
      return refuse(part, fmt::format("'{}' can't be in a host name", part[i]));
    }
  }
  std::size_t total = 1;
  for (const auto& numbers : brackets) {
    total *= numbers.size();
    if (total > kMaxNames - names.size()) return refuse(part, "too many hosts");
  }
  std::vector<std::size_t> at(brackets.size(), 0);
  for (std::size_t n = 0; n < total; ++n) {
    std::string name = text[0];
    for (std::size_t b = 0; b < brackets.size(); ++b) name += brackets[b][at[b]] + text[b + 1];
    names.push_back(std::move(name));
    // Count up: the last bracket first, then the first, the second, ...
    for (std::size_t step = 0; step < at.size(); ++step) {
      const std::size_t b = step == 0 ? at.size() - 1 : step - 1;
      if (++at[b] < brackets[b].size()) break;
      at[b] = 0;
    }
  }
  return {};
}

/// A name cut at its last number.
struct CutName {
  std::string before, digits, after;
  bool plain = false;  ///< no number, or one too long to count
};

CutName cut(const std::string& name) {
  const auto last = name.find_last_of("0123456789");
  if (last == std::string::npos) return {name, {}, {}, true};
  auto first = last;
  while (first > 0 && std::isdigit(static_cast<unsigned char>(name[first - 1])) != 0) --first;
  CutName parts{name.substr(0, first), name.substr(first, last + 1 - first), name.substr(last + 1), false};
  parts.plain = parts.digits.size() > 17 || name.find(':') != std::string::npos;
  return parts;
}

}  // namespace

Result<std::vector<std::string>> expand_host_list(std::string_view text) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (i < text.size() && c == '[') ++depth;
    if (i < text.size() && c == ']') --depth;
    if (depth < 0 || depth > 1) {
      return refuse(text, depth < 0 ? "a bracket is closed that was not opened" : "brackets in brackets");
    }
    const bool end = i == text.size();
    const bool separator = c == ',' || std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!end && (depth == 1 || !separator)) continue;
    const std::string_view part = text.substr(begin, i - begin);
    begin = i + 1;
    if (part.empty()) continue;
    if (auto status = expand_part(part, names); !status) return tl::unexpected(std::move(status).error());
  }
  return names;
}

std::string compress_host_list(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size();) {
    const CutName head = cut(names[i]);
    std::string ranges;
    std::size_t j = i;
    std::size_t in_group = 0;
    while (j < names.size() && !head.plain) {
      const CutName from = cut(names[j]);
      const bool same = !from.plain && from.before == head.before && from.after == head.after &&
                        (from.digits.size() == head.digits.size() || (head.digits[0] != '0' && from.digits[0] != '0'));
      if (!same) break;
      std::size_t k = j;
      std::uint64_t value = std::stoull(from.digits);
      const std::uint64_t first = value;
      while (k + 1 < names.size() && value - first + 1 < kMaxRange) {
        const CutName next = cut(names[k + 1]);
        if (next.plain || next.before != head.before || next.after != head.after ||
            next.digits != fmt::format("{:0{}}", value + 1, from.digits.size())) {
          break;
        }
        ++k;
        ++value;
      }
      if (!ranges.empty()) ranges += ',';
      ranges += from.digits;
      if (k > j) ranges += '-' + cut(names[k]).digits;
      in_group += k - j + 1;
      j = k + 1;
    }
    if (!out.empty()) out += ',';
    if (in_group <= 1) {
      out += names[i];
      ++i;
    } else {
      out += head.before + '[' + ranges + ']' + head.after;
      i = j;
    }
  }
  return out;
}

}  // namespace topolaunch::topo
