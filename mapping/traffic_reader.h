// SPDX-License-Identifier: Apache-2.0
//
// TrafficReader: the text of a traffic file, line by line, and what is found in it as a rank graph.
// Its forms are in traffic.cpp (matrices), metis.cpp (METIS graphs) and edge_list.cpp (rows
// "from,to,bytes").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "mapping/rank_graph.h"

namespace topolaunch::mapping {

/// One line that is neither empty nor a comment, with its number in the file.
struct TrafficLine {
  std::string_view text;
  int number = 0;
};

inline constexpr int kMaxSparseRanks = 1 << 20;

/// Takes the next word off `rest`; blanks, commas and semicolons part words. Empty at the end.
std::string_view next_word(std::string_view& rest);
int words_in(std::string_view text);
bool is_number(std::string_view word);

class TrafficReader {
 public:
  TrafficReader(const std::string& text, const std::string& file);
  Result<RankGraph> read();

 private:
  tl::unexpected<Error> error(int line, std::string message, std::string next = {}) const;
  /// Bytes, or shares of them: not negative, finite.
  Result<double> bytes(std::string_view word, int line) const;
  /// 1 to `limit` as 0 to `limit` - 1.
  Result<int> index(std::string_view word, int limit, int line) const;
  Status add(int from, int to, double amount, int line);
  RankGraph finish(int ranks);

  /// A line of names above the rows, a name in front of each.
  struct Names {
    bool above = false, in_front = false;
  };
  Names names() const;
  Result<RankGraph> dense(const Names& names);
  Result<RankGraph> matrix_market();
  bool is_edge_list() const;
  Result<RankGraph> edge_list();

  /// "n m [fmt [constraints]]" and n vertex lines (empty ones count); or fewer, where the last
  /// vertices have no neighbours and an editor has dropped their lines.
  enum class Likeness { none, by_lines, with_lines_missing };
  Likeness likeness_to_metis() const;
  std::size_t first_line_index() const;
  Result<RankGraph> metis();

  std::string file_;
  std::string banner_;
  bool numpy_ = false;
  std::vector<TrafficLine> all_;    ///< all lines but comments
  std::vector<TrafficLine> lines_;  ///< those that hold a word
  struct Entry {
    int a, b;
    double amount;
  };
  std::vector<Entry> entries_;
  double total_ = 0;
};

}  // namespace topolaunch::mapping
