// SPDX-License-Identifier: Apache-2.0
#include "mapping/traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "base/lower_case.h"
#include "mapping/index.h"
#include "mapping/traffic_reader.h"

namespace topolaunch::mapping {
namespace {

constexpr int kMaxDense = 16384;
constexpr double kShare = 1 << 30;                   ///< bytes of the largest share
constexpr double kMaxBytes = 4611686018427387904.0;  // 2^62

bool is_blank(char c) { return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '\r'; }

}  // namespace

std::string_view next_word(std::string_view& rest) {
  while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
  std::size_t end = 0;
  while (end < rest.size() && !is_blank(rest[end])) ++end;
  const auto word = rest.substr(0, end);
  rest.remove_prefix(end);
  return word;
}

int words_in(std::string_view text) {
  int count = 0;
  while (!next_word(text).empty()) ++count;
  return count;
}

TrafficReader::TrafficReader(const std::string& text, const std::string& file) : file_(file) {
  numpy_ = text.starts_with("\x93NUMPY");
  std::string_view rest = text;
  int number = 0;
  while (!rest.empty()) {
    const auto end = rest.find('\n');
    const auto line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    ++number;
    if (number == 1 && line.substr(0, 14) == "%%MatrixMarket") banner_ = std::string(line);
    const auto first = line.find_first_not_of(" \t\r");
    const bool comment =
        first != std::string_view::npos && (line[first] == '%' || line[first] == '#');
    if (comment) continue;
    // An empty line is a METIS vertex without neighbours; elsewhere it is skipped.
    all_.push_back({line, number});
  }
  for (const auto& line : all_)
    if (words_in(line.text) > 0) lines_.push_back(line);
}

Result<RankGraph> TrafficReader::read() {
  if (numpy_)
    return error(0, "it is a NumPy file of numbers in binary",
                 "write it as text: numpy.savetxt(\"traffic.txt\", array)");
  if (lines_.empty())
    return error(0, "the file holds no numbers", "see `topolaunch map --help` for the formats");
  if (!banner_.empty()) return matrix_market();
  // A small METIS graph can be as square as a matrix: it is one if all that it says of itself
  // holds.
  const auto rows = count_of(lines_);
  const bool square = std::all_of(lines_.begin(), lines_.end(), [&](const TrafficLine& line) {
    return words_in(line.text) == rows;
  });
  const int columns = words_in(lines_.front().text);
  if (columns >= 2 && columns <= 4 && rows > 1) {
    const auto like = likeness_to_metis();
    if (like != Likeness::none) {
      auto graph = metis();
      if (graph || (like == Likeness::by_lines && !square)) return graph;
      entries_.clear();
      total_ = 0;
    }
  }
  if (is_edge_list()) return edge_list();
  return dense(names());
}

bool is_number(std::string_view word) {
  const std::string copy(word);
  char* end = nullptr;
  std::strtod(copy.c_str(), &end);
  return !copy.empty() && end == copy.c_str() + copy.size();
}

TrafficReader::Names TrafficReader::names() const {
  const int n = count_of(lines_) - 1;
  if (n < 1) return {};
  auto first = lines_.front().text;
  const int above = words_in(first);
  const bool words = !is_number(next_word(first));
  const bool below = std::all_of(lines_.begin() + 1, lines_.end(), [&](const TrafficLine& line) {
    return words_in(line.text) == n + 1;
  });
  if (below && (above == n || (above == n + 1 && words))) return {true, true};
  return {words && above == n, false};
}

tl::unexpected<Error> TrafficReader::error(int line, std::string message, std::string next) const {
  return fail(Error{Code::invalid_input, std::move(message), std::move(next), file_, line});
}

Result<double> TrafficReader::bytes(std::string_view word, int line) const {
  const std::string copy(word);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (copy.empty() || end != copy.c_str() + copy.size() || !std::isfinite(value) ||
      copy.find_first_of("xXpP") != std::string::npos)
    return error(line, fmt::format("'{}' is not a number of bytes", copy.substr(0, 40)));
  if (value < 0)
    return error(line, fmt::format("{} bytes: traffic can't be negative", copy.substr(0, 40)));
  if (value >= kMaxBytes)
    return error(line, fmt::format("{} bytes is over 2^62", copy.substr(0, 40)));
  return value;
}

Result<int> TrafficReader::index(std::string_view word, int limit, int line) const {
  int value = 0;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (failed != std::errc{} || end != word.data() + word.size() || value < 1 || value > limit)
    return error(line, fmt::format("'{}' is not a number from 1 to {}", word.substr(0, 40), limit));
  return value - 1;
}

Status TrafficReader::add(int from, int to, double amount, int line) {
  if (from == to || amount == 0) return {};  // a rank's traffic with itself never leaves it
  total_ += amount;
  if (total_ >= kMaxBytes) return error(line, "the bytes of the file add up to more than 2^62");
  entries_.push_back({std::min(from, to), std::max(from, to), amount});
  return {};
}

RankGraph TrafficReader::finish(int ranks) {
  std::sort(entries_.begin(), entries_.end(),
            [](const Entry& x, const Entry& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; });
  RankGraph graph;
  graph.ranks = ranks;
  graph.origin = file_;
  double least = 1, most = 0;
  for (const auto& entry : entries_) {
    least = std::min(least, entry.amount);
    most = std::max(most, entry.amount);
  }
  double scale = 1;
  if (least < 1) {
    // Nobody sends part of a byte: these are shares.
    scale = kShare / most;
    graph.origin += " (numbers below 1 are shares: the largest taken as 1 GiB)";
  }
  for (const auto& entry : entries_) {
    const auto bytes = static_cast<std::int64_t>(std::ceil(entry.amount * scale));
    if (!graph.edges.empty() && graph.edges.back().a == entry.a && graph.edges.back().b == entry.b)
      graph.edges.back().bytes += bytes;
    else
      graph.edges.push_back({entry.a, entry.b, bytes});
  }
  return graph;
}

Result<RankGraph> TrafficReader::dense(const Names& names) {
  const int n = count_of(lines_) - (names.above ? 1 : 0);
  if (n > kMaxDense)
    return error(lines_[ix(kMaxDense)].number,
                 fmt::format("a matrix of more than {} ranks", kMaxDense),
                 "write it as Matrix Market coordinates");
  for (int row = 0; row < n; ++row) {
    const auto& line = lines_[ix(row + (names.above ? 1 : 0))];
    auto rest = line.text;
    if (names.in_front) next_word(rest);
    for (int column = 0;; ++column) {
      const auto word = next_word(rest);
      if (word.empty()) {
        if (column == n) break;
        return error(
            line.number,
            fmt::format("{} numbers in row {}, and the matrix has {} rows", column, row + 1, n),
            "the matrix must be square: row r, column c = bytes from rank r to rank c");
      }
      if (column == n)
        return error(line.number,
                     fmt::format("more than {} numbers in row {}, and the matrix has {} rows", n,
                                 row + 1, n),
                     "the matrix must be square: row r, column c = bytes from rank r to rank c");
      auto amount = bytes(word, line.number);
      if (!amount) return fail(amount.error());
      if (auto status = add(row, column, *amount, line.number); !status)
        return fail(status.error());
    }
  }
  return finish(n);
}

Result<RankGraph> TrafficReader::matrix_market() {
  const auto banner = lower_case(banner_);
  std::string_view rest = banner;
  next_word(rest);
  const auto object = next_word(rest), format = next_word(rest), field = next_word(rest),
             symmetry = next_word(rest);
  const bool pattern = field == "pattern";
  if (object != "matrix" || (format != "coordinate" && format != "array") ||
      (field != "real" && field != "integer" && field != "double" && !pattern) ||
      (symmetry != "general" && symmetry != "symmetric") || (pattern && format == "array"))
    return error(1,
                 fmt::format("Matrix Market kind '{} {} {} {}' is not read", object, format, field,
                             symmetry),
                 "read are: matrix coordinate|array real|integer|pattern general|symmetric");
  const bool symmetric = symmetry == "symmetric";
  const auto& head = lines_.front();
  auto sizes = head.text;
  auto rows = index(next_word(sizes), format == "array" ? kMaxDense : kMaxSparseRanks, head.number);
  if (!rows) return fail(rows.error());
  auto columns =
      index(next_word(sizes), format == "array" ? kMaxDense : kMaxSparseRanks, head.number);
  if (!columns) return fail(columns.error());
  if (*rows != *columns)
    return error(head.number,
                 fmt::format("the matrix is {} x {}, not square", *rows + 1, *columns + 1));
  const int n = *rows + 1;
  if (format == "array") {
    std::size_t at = 1;
    for (int column = 0; column < n; ++column)
      for (int row = symmetric ? column : 0; row < n; ++row, ++at) {
        if (at >= lines_.size())
          return error(lines_.back().number,
                       fmt::format("the file ends at entry ({}, {})", row + 1, column + 1));
        auto text = lines_[at].text;
        auto amount = bytes(next_word(text), lines_[at].number);
        if (!amount) return fail(amount.error());
        if (auto status = add(row, column, symmetric ? *amount * (row == column ? 1 : 2) : *amount,
                              lines_[at].number);
            !status)
          return fail(status.error());
      }
    if (at < lines_.size()) return error(lines_[at].number, "more entries than the size line says");
    return finish(n);
  }
  std::int64_t entries = -1;
  const auto word = next_word(sizes);
  std::from_chars(word.data(), word.data() + word.size(), entries);
  if (entries != static_cast<std::int64_t>(lines_.size()) - 1)
    return error(head.number, fmt::format("the size line says {} entries, the file has {}", word,
                                          lines_.size() - 1));
  for (std::size_t at = 1; at < lines_.size(); ++at) {
    const auto& line = lines_[at];
    auto text = line.text;
    auto row = index(next_word(text), n, line.number);
    if (!row) return fail(row.error());
    auto column = index(next_word(text), n, line.number);
    if (!column) return fail(column.error());
    double amount = 1;
    if (!pattern) {
      auto value = bytes(next_word(text), line.number);
      if (!value) return fail(value.error());
      amount = *value;
    }
    if (!next_word(text).empty())
      return error(line.number, "more than row, column and value on one line");
    if (symmetric && *row < *column)
      return error(line.number, "a symmetric matrix states its lower triangle only");
    if (auto status = add(*row, *column, symmetric ? amount * 2 : amount, line.number); !status)
      return fail(status.error());
  }
  return finish(n);
}

Result<RankGraph> graph_from_traffic(const std::string& text, const std::string& file) {
  return TrafficReader(text, file).read();
}

}  // namespace topolaunch::mapping
