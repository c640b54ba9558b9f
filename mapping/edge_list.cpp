// SPDX-License-Identifier: Apache-2.0
//
// Rows of ranks and bytes below a line that names the columns: "src,dst,bytes".
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/lower_case.h"
#include "mapping/index.h"
#include "mapping/traffic_reader.h"

namespace topolaunch::mapping {
namespace {

constexpr std::array<std::string_view, 8> kFrom = {
    "src", "source", "from", "sender", "src_rank", "source_rank", "from_rank", "rank_a"};
constexpr std::array<std::string_view, 10> kTo = {"dst",     "dest",     "destination", "to",
                                                  "target",  "receiver", "dst_rank",    "dest_rank",
                                                  "to_rank", "rank_b"};
constexpr std::array<std::string_view, 8> kBytes = {"bytes",   "weight", "size",   "volume",
                                                    "traffic", "value",  "amount", "data"};

struct Columns {
  int from = -1, to = -1, bytes = -1;
};

Columns columns_of(std::string_view head) {
  Columns columns;
  const auto among = [](const auto& names, const std::string& word) {
    return std::find(names.begin(), names.end(), word) != names.end();
  };
  for (int column = 0;; ++column) {
    auto word = lower_case(next_word(head));
    if (word.empty()) return columns;
    std::erase(word, '"');
    if (columns.from < 0 && among(kFrom, word))
      columns.from = column;
    else if (columns.to < 0 && among(kTo, word))
      columns.to = column;
    else if (columns.bytes < 0 && among(kBytes, word))
      columns.bytes = column;
  }
}

}  // namespace

bool TrafficReader::is_edge_list() const {
  const auto columns = columns_of(lines_.front().text);
  return columns.from >= 0 && columns.to >= 0 && columns.bytes >= 0;
}

Result<RankGraph> TrafficReader::edge_list() {
  const auto columns = columns_of(lines_.front().text);
  const int count = words_in(lines_.front().text);
  int ranks = 0;
  for (std::size_t row = 1; row < lines_.size(); ++row) {
    const auto& line = lines_[row];
    std::vector<std::string_view> words;
    auto rest = line.text;
    for (auto word = next_word(rest); !word.empty(); word = next_word(rest)) words.push_back(word);
    if (count_of(words) != count)
      return error(line.number, fmt::format("{} words, and the first line names {} columns",
                                            words.size(), count));
    // Ranks count from 0 here.
    const auto rank = [&](int column) -> Result<int> {
      const auto word = words[ix(column)];
      if (word == "0") return 0;
      auto number = index(word, kMaxSparseRanks, line.number);
      if (!number)
        return error(line.number, fmt::format("'{}' is not a rank from 0 to {}", word.substr(0, 40),
                                              kMaxSparseRanks));
      return *number + 1;
    };
    const auto from = rank(columns.from), to = rank(columns.to);
    if (!from) return fail(from.error());
    if (!to) return fail(to.error());
    const auto amount = bytes(words[ix(columns.bytes)], line.number);
    if (!amount) return fail(amount.error());
    ranks = std::max({ranks, *from + 1, *to + 1});
    if (auto status = add(*from, *to, *amount, line.number); !status) return fail(status.error());
  }
  if (ranks < 1)
    return error(lines_.front().number, "no row stands below the names of the columns");
  return finish(ranks);
}

}  // namespace topolaunch::mapping
