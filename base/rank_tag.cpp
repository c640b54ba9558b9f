// SPDX-License-Identifier: Apache-2.0
#include "base/rank_tag.h"

#include <algorithm>
#include <cstddef>

namespace topolaunch {

std::string_view without_rank_tag(std::string_view line) {
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
