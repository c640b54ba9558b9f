// SPDX-License-Identifier: Apache-2.0
//
// Open MPI 4.1's monitoring (ompi/mca/common/monitoring/common_monitoring.c, output to file):
// tab-separated lines "E FROM TO N bytes M msgs sent [histogram]" for a program's own messages, "I"
// for those that collectives sent. S and R (one-sided) count too; C, D, O2A, A2O, A2A repeat what E
// and I hold.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "mapping/index.h"
#include "mapping/trace.h"

namespace topolaunch::mapping {
namespace {

constexpr int kMaxRanks = 1 << 20;
constexpr std::int64_t kMaxBytes = std::int64_t{1} << 62;

/// The number that `text` begins with; moves behind it and the blanks after it.
bool take_number(std::string_view& text, std::int64_t most, std::int64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || value < 0 || value > most) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!text.empty() && text.front() != '\t' && text.front() != ' ') return false;
  while (!text.empty() && (text.front() == '\t' || text.front() == ' ')) text.remove_prefix(1);
  return true;
}

}  // namespace

Result<RankGraph> graph_from_monitoring(const std::vector<TraceFile>& files) {
  std::map<std::pair<int, int>, std::int64_t> sums;
  int ranks = 0;
  std::int64_t total = 0;
  std::vector<bool> told;
  for (const auto& file : files) {
    const auto wrong = [&](int line, std::string message) {
      return fail(Error{Code::invalid_input, std::move(message),
                        "it should be a file of Open MPI's monitoring component", file.name, line});
    };
    std::string_view rest = file.text;
    for (int number = 1; !rest.empty(); ++number) {
      const auto end = rest.find('\n');
      auto line = rest.substr(0, end);
      const bool whole = end != std::string_view::npos;
      rest.remove_prefix(whole ? end + 1 : rest.size());
      if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
      if (line.empty() || line.front() == '#') continue;
      const auto tab = line.find('\t');
      const auto kind = line.substr(0, tab);
      if (kind == "D") {
        // "D <communicator> procs: 0,1,2,3": the largest rank says how many there are.
        const auto at = line.rfind(": ");
        if (at == std::string_view::npos)
          return wrong(number, "a communicator without its processes");
        auto list = line.substr(at + 2);
        while (!list.empty()) {
          int rank = 0;
          const auto [stop, error] = std::from_chars(list.data(), list.data() + list.size(), rank);
          if (error != std::errc{} || rank < 0 || rank >= kMaxRanks)
            return wrong(number, fmt::format("'{}' is no list of ranks", list.substr(0, 40)));
          ranks = std::max(ranks, rank + 1);
          list.remove_prefix(static_cast<std::size_t>(stop - list.data()));
          if (!list.empty() && list.front() == ',')
            list.remove_prefix(1);
          else
            break;
        }
        continue;
      }
      if (kind == "C" || kind == "O2A" || kind == "A2O" || kind == "A2A") continue;
      if (kind != "E" && kind != "I" && kind != "S" && kind != "R")
        return wrong(number, fmt::format("a line of kind '{}'", kind.substr(0, 20)));
      auto words = tab == std::string_view::npos ? std::string_view() : line.substr(tab + 1);
      std::int64_t from = 0, to = 0, bytes = 0, messages = 0;
      if (!take_number(words, kMaxRanks - 1, from) || !take_number(words, kMaxRanks - 1, to))
        return wrong(number, "two ranks should follow the kind");
      if (!take_number(words, kMaxBytes, bytes) || !words.starts_with("bytes"))
        return wrong(number, "a number of bytes should follow the ranks");
      words.remove_prefix(5);
      while (!words.empty() && (words.front() == '\t' || words.front() == ' '))
        words.remove_prefix(1);
      if (!take_number(words, kMaxBytes, messages) || !words.starts_with("msgs"))
        return wrong(number, whole ? "a number of messages should follow the bytes"
                                   : "the file ends within a line");
      const int a = static_cast<int>(from), b = static_cast<int>(to);
      ranks = std::max({ranks, a + 1, b + 1});
      if (count_of(told) <= a) told.resize(ix(a) + 1, false);
      told[ix(a)] = true;
      if (a == b || bytes == 0) continue;
      if (bytes > kMaxBytes - total) return wrong(number, "the bytes add up to more than 2^62");
      total += bytes;
      sums[{std::min(a, b), std::max(a, b)}] += bytes;
    }
  }
  if (ranks == 0)
    return fail(Error{Code::invalid_input,
                      "the file has no message in it",
                      {},
                      files.empty() ? "" : files.front().name,
                      0});
  RankGraph graph;
  graph.ranks = ranks;
  const auto known = static_cast<int>(std::count(told.begin(), told.end(), true));
  graph.origin = files.front().name;
  if (files.size() > 1) graph.origin += fmt::format(" and {} more", files.size() - 1);
  if (known < ranks) graph.origin += fmt::format(" (what {} of {} ranks sent)", known, ranks);
  for (const auto& [pair, bytes] : sums) graph.edges.push_back({pair.first, pair.second, bytes});
  return graph;
}

}  // namespace topolaunch::mapping
