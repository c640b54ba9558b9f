// SPDX-License-Identifier: Apache-2.0
#include "topo/matrix_market.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/counted.h"
#include "topo/host_list.h"
#include "topo/measured_unit.h"
#include "topo/pair_repeats.h"

namespace topolaunch::topo {
namespace {

constexpr long kMostHosts = 2048;

bool starts_alike(std::string_view text, std::string_view word) {  // any case
  if (text.size() < word.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if ((text[i] | 0x20) != (word[i] | 0x20)) return false;
  }
  return true;
}

/// The numbers of a line; empty if anything else is on it.
std::vector<double> numbers_of(std::string_view line) {
  std::vector<double> found;
  while (true) {
    const auto first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return found;
    line.remove_prefix(first);
    double value = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
    const bool whole =
        end == line.data() + line.size() || *end == ' ' || *end == '\t' || *end == '\r';
    if (error != std::errc{} || !whole || found.size() > 3) return {};
    found.push_back(value);
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  }
}

struct Header {
  bool coordinate = true, symmetric = false;
  MeasuredUnit unit;
  std::vector<std::string> hosts;
};

class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {}

  Result<std::vector<Fact>> read(std::string_view text) {
    for (int number = 1; !text.empty(); ++number) {
      const auto end = text.find('\n');
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      if (auto done = one_line(line, number); !done) return tl::unexpected(std::move(done.error()));
      last_ = number;
    }
    if (size_ == 0) return fail(error(last_, "the matrix has no line of its size"));
    if (seen_ != entries_) {
      return fail(error(
          last_, fmt::format("the matrix has {} entries, its head says {}", seen_, entries_)));
    }
    if (facts_.empty()) return fail(error(last_, "no pair has a value in it"));
    if (auto settled = settle_pairs(facts_, file_); !settled)
      return fail(std::move(settled).error());
    return std::move(facts_);
  }

 private:
  Error error(int line, std::string message) const {
    return Error{Code::invalid_input, std::move(message), {}, file_, line};
  }

  Status one_line(std::string_view line, int number) {
    if (line.starts_with("%%")) return banner(line, number);
    if (line.starts_with('%')) return comment(line.substr(1), number);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) return {};
    const auto numbers = numbers_of(line);
    if (numbers.empty()) return fail(error(number, "the line is no row of numbers"));
    return size_ == 0 ? head(numbers, number) : entry(numbers, number);
  }

  Status banner(std::string_view line, int number) {
    const auto says = [line](std::string_view word) {
      return line.find(word) != std::string_view::npos;
    };
    header_.coordinate = says("coordinate");
    header_.symmetric = says("symmetric") || says("hermitian");
    if (!says("matrix") || (!says("coordinate") && !says("array")) || says("complex") ||
        says("pattern") || says("skew")) {
      return fail(error(number, "not a real matrix, coordinate or array, general or symmetric"));
    }
    return {};
  }

  Status comment(std::string_view text, int number) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    if (starts_alike(text, "hosts:")) {
      auto hosts = expand_host_list(text.substr(6));
      if (!hosts) return fail(error(number, hosts.error().message));
      header_.hosts = std::move(*hosts);
    } else if (starts_alike(text, "unit:")) {
      text.remove_prefix(5);
      text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
      while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
      const auto unit = measured_unit(text);
      if (!unit) {
        return fail(error(number, fmt::format("'{}' is no unit that is known", text))
                        .try_next(std::string(kMeasuredUnits)));
      }
      header_.unit = *unit;
    }
    return {};
  }

  Status head(const std::vector<double>& numbers, int number) {
    const std::size_t want = header_.coordinate ? 3 : 2;
    if (numbers.size() != want || numbers[0] != numbers[1] ||
        numbers[0] != std::floor(numbers[0]) || numbers[0] < 2 ||
        numbers[0] > static_cast<double>(kMostHosts)) {
      return fail(error(
          number, fmt::format("not the size of a square matrix of 2 to {} hosts", kMostHosts)));
    }
    size_ = static_cast<long>(numbers[0]);
    entries_ = header_.coordinate  ? std::lround(std::min(numbers[2], 1e9))
               : header_.symmetric ? size_ * (size_ + 1) / 2
                                   : size_ * size_;
    if (!header_.hosts.empty() && static_cast<long>(header_.hosts.size()) != size_) {
      return fail(error(
          number, fmt::format("{} {} named for {} rows", counted(header_.hosts.size(), "host"),
                              header_.hosts.size() == 1 ? "is" : "are", size_)));
    }
    if (header_.hosts.empty()) {
      for (long i = 0; i < size_; ++i) header_.hosts.push_back(fmt::format("host{}", i));
    }
    return {};
  }

  Status entry(const std::vector<double>& numbers, int number) {
    if (++seen_ > entries_) return fail(error(number, "more entries than its head says"));
    long row = row_, column = column_;
    double value = numbers.back();
    if (header_.coordinate) {
      if (numbers.size() != 3) return fail(error(number, "an entry is: row column value"));
      row = std::lround(std::clamp(numbers[0], 0.0, 1e6)) - 1;
      column = std::lround(std::clamp(numbers[1], 0.0, 1e6)) - 1;
    } else {  // column by column; of a symmetric one the lower triangle
      if (numbers.size() != 1) return fail(error(number, "an entry is one value"));
      if (++row_ == size_) {
        ++column_;
        row_ = header_.symmetric ? column_ : 0;
      }
    }
    if (row < 0 || column < 0 || row >= size_ || column >= size_) {
      return fail(error(number, "the entry lies outside the matrix"));
    }
    if (!(value >= 0)) return fail(error(number, "a value below 0 is no distance, rate or time"));
    if (row == column && value != 0 && header_.unit.of == PairFact::Of::distance)
      return fail(error(number, fmt::format("host {} is {} away from itself", row + 1, value)));
    if (row != column && value > 0 && std::isfinite(value)) {
      facts_.push_back({{"measured", file_, number},
                        {},
                        PairFact{header_.hosts[static_cast<std::size_t>(row)],
                                 header_.hosts[static_cast<std::size_t>(column)], header_.unit.of,
                                 value * header_.unit.factor, false}});
    }
    return {};
  }

  const std::string& file_;
  Header header_;
  std::vector<Fact> facts_;
  long size_ = 0, entries_ = 0, seen_ = 0, row_ = 0, column_ = 0;
  int last_ = 1;
};

}  // namespace

bool looks_like_matrix_market(std::string_view text) {
  return starts_alike(text, "%%matrixmarket");
}

Result<std::vector<Fact>> facts_from_matrix_market(std::string_view text, const std::string& file) {
  return Reader(file).read(text);
}

}  // namespace topolaunch::topo
