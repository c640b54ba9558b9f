// SPDX-License-Identifier: Apache-2.0
#include "mapping/named_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <regex>

#include "base/lower_case.h"

namespace topolaunch::mapping {
namespace {

/// Words between commas and blanks; blanks around a '=' or ':' belong to it.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words(1);
  const auto joins = [](char c) { return c == '=' || c == ':'; };
  bool blank = false;
  for (const char c : text) {
    if (c == ' ' || c == '\t') {
      blank = true;
      continue;
    }
    const bool goes_on = joins(c) || (!words.back().empty() && joins(words.back().back()));
    if (c == ',' || (blank && !goes_on)) words.emplace_back();
    blank = false;
    if (c != ',') words.back() += c;
  }
  std::erase(words, "");
  return words;
}

/// "tp=8", "tp:8" or "tp8"; nothing for another word.
std::optional<NamedValue> pair_of(const std::string& word) {
  const auto sign = word.find_first_of("=:");
  if (sign != std::string::npos) {
    if (sign == 0) return std::nullopt;
    return NamedValue{lower_case(word.substr(0, sign)), word.substr(sign + 1)};
  }
  const auto digit = word.find_first_of("0123456789");
  if (digit == 0 || digit == std::string::npos) return std::nullopt;
  return NamedValue{lower_case(word.substr(0, digit)), word.substr(digit)};
}

/// "tp8pp4dp2" as three words, which is how runs are named.
std::vector<std::string> run_together(const std::string& word) {
  static const std::regex whole("([A-Za-z]+[0-9]+)+"), one("[A-Za-z]+[0-9]+");
  if (!std::regex_match(word, whole)) return {word};
  std::vector<std::string> words;
  for (std::sregex_iterator at(word.begin(), word.end(), one), end; at != end; ++at) words.push_back(at->str());
  return words;
}

}  // namespace

Result<std::vector<NamedValue>> named_values(const std::string& text, std::string_view option) {
  std::vector<NamedValue> pairs;
  for (const auto& together : words_of(text))
    for (const auto& word : run_together(together)) {
      auto pair = pair_of(word);
      if (!pair || pair->value.empty())
        return fail(Code::wrong_usage, fmt::format("{} '{}': '{}' is not NAME=VALUE", option, text, word),
                    "write it like tp=8,pp=4,dp=16");
      if (std::ranges::find(pairs, pair->name, &NamedValue::name) != pairs.end())
        return fail(Code::wrong_usage, fmt::format("{} '{}': {} is given twice", option, text, pair->name));
      pairs.push_back(std::move(*pair));
    }
  return pairs;
}

}  // namespace topolaunch::mapping
