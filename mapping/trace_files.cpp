// SPDX-License-Identifier: Apache-2.0
#include "mapping/trace_files.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/lower_case.h"

namespace topolaunch::mapping {
namespace {

bool numbers_something_else(std::string_view word) {
  for (const std::string_view other : {"run", "step", "iter", "iteration", "epoch", "job", "host",
                                       "node", "trial", "test", "part"})
    if (word.ends_with(other)) return true;
  return false;
}

}  // namespace

std::vector<std::string> sibling_files(const std::string& file, const Files& files) {
  const auto slash = file.rfind('/');
  const std::string folder =
      slash == std::string::npos ? "." : file.substr(0, slash == 0 ? 1 : slash);
  const std::string own = slash == std::string::npos ? file : file.substr(slash + 1);
  const auto names = files.list(folder);
  if (!names) return {file};
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  using Numbered = std::vector<std::pair<long long, std::string>>;
  Numbered called, counted_up;
  for (std::size_t begin = 0; begin < own.size(); ++begin) {
    if (!digit(own[begin]) || (begin > 0 && digit(own[begin - 1]))) continue;
    std::size_t end = begin;
    while (end < own.size() && digit(own[end])) ++end;
    const auto head = own.substr(0, begin), tail = own.substr(end);
    Numbered found;
    for (const auto& name : *names) {
      if (name.size() <= head.size() + tail.size() || !name.starts_with(head) ||
          !name.ends_with(tail))
        continue;
      const auto number = name.substr(head.size(), name.size() - head.size() - tail.size());
      if (number.size() > 9 || !std::all_of(number.begin(), number.end(), digit)) continue;
      found.emplace_back(std::stoll(number),
                         slash == std::string::npos ? name : file.substr(0, slash + 1) + name);
    }
    if (found.size() < 2) continue;
    std::sort(found.begin(), found.end());
    const auto word = lower_case(head.substr(0, head.find_last_not_of("_-.=") + 1));
    if (word.ends_with("rank"))
      called = std::move(found);
    else if (found.front().first == 0 && !numbers_something_else(word))
      counted_up = std::move(found);
  }
  const auto& ranks = called.empty() ? counted_up : called;
  if (ranks.empty()) return {file};
  std::vector<std::string> result;
  for (const auto& [number, name] : ranks) result.push_back(name);
  return result;
}

}  // namespace topolaunch::mapping
