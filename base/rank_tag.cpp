// SPDX-License-Identifier: Apache-2.0
#include "base/rank_tag.h"

#include <algorithm>
#include <cstddef>

namespace topolaunch {

namespace {

constexpr std::string_view kDigits = "0123456789";

/// "2026-01-05T09:31:02Z ", with a fraction, and +01:00 in place of Z.
std::string_view without_time(std::string_view line) {
  constexpr std::string_view kForm = "dddd-dd-ddTdd:dd:dd";
  if (line.size() <= kForm.size()) return line;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool digit = kDigits.find(line[i]) != std::string_view::npos;
    if (kForm[i] == 'd' ? !digit : line[i] != kForm[i]) return line;
  }
  const auto end = line.find(' ');
  if (end == std::string_view::npos ||
      line.find_first_not_of("0123456789.:+-Z", kForm.size()) != end)
    return line;
  return line.substr(end + 1);
}

/// "[rank3]: ", "[default3]:", "worker-3 | ".
std::string_view without_name(std::string_view line) {
  const auto digits_end = [&](std::size_t at) {
    return std::min(line.find_first_not_of(kDigits, at), line.size());
  };
  for (const std::string_view name : {"[rank", "[default"}) {
    if (!line.starts_with(name)) continue;
    const auto end = digits_end(name.size());
    if (end == name.size() || !line.substr(end).starts_with("]:")) continue;
    const std::string_view text = line.substr(end + 2);
    return text.starts_with(' ') ? text.substr(1) : text;
  }
  const auto bar = line.find(" | ");
  if (bar == std::string_view::npos || bar == 0) return line;
  const auto name = line.substr(0, line.find_last_not_of(' ', bar) + 1);
  const bool numbered = kDigits.find(name.back()) != std::string_view::npos &&
                        name.find_first_of(" #|[") == std::string_view::npos &&
                        name.find_first_not_of(kDigits) != std::string_view::npos;
  return numbered ? line.substr(bar + 3) : line;
}

}  // namespace

std::string_view without_rank_tag(std::string_view line) {
  line = without_time(line);
  if (const auto text = without_name(line); text.size() != line.size()) return text;
  const auto begin = std::min(line.find_first_not_of(' '), line.size());
  const bool bracket = line.substr(begin).starts_with('[');
  const auto number = begin + (bracket ? 1 : 0);
  const auto end = std::min(line.find_first_not_of("0123456789", number), line.size());
  const std::string_view behind = line.substr(end);
  const bool labelled = end > number && (bracket ? behind.starts_with("] ")
                                                 : behind.starts_with(": ") || behind == ":");
  if (labelled) return behind.substr(std::min<std::size_t>(2, behind.size()));
  if (!bracket) return line;
  const std::string_view stream = line.substr(std::min(line.find(']'), line.size()));
  for (const std::string_view name : {"]<stdout>:", "]<stderr>:"}) {
    if (!stream.starts_with(name)) continue;
    const std::string_view text = stream.substr(name.size());
    return text.starts_with(' ') ? text.substr(1) : text;
  }
  return line;
}

}  // namespace topolaunch
