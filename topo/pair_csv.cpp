// SPDX-License-Identifier: Apache-2.0
#include "topo/pair_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/counted.h"
#include "topo/csv_rows.h"
#include "topo/host_list.h"
#include "topo/pair_columns.h"
#include "topo/pair_repeats.h"

namespace topolaunch::topo {
namespace {

constexpr std::size_t kMostHosts = 2048;

class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : table_(csv_rows(text)), file_(file) {}

  Result<std::vector<Fact>> read() {
    if (table_.rows.empty()) return fail(error(1, "the table is empty"));
    const auto columns = pair_columns(table_.rows.front().cells);
    auto done = columns.ends() ? read_pairs(columns) : read_matrix();
    if (done && columns.ends()) done = settle_pairs(facts_, file_);
    if (!done) return tl::unexpected(std::move(done.error()));
    const bool measured = std::any_of(facts_.begin(), facts_.end(), [](const Fact& fact) {
      return std::holds_alternative<PairFact>(fact.what);
    });
    if (!measured) return fail(error(1, "no pair of hosts has a value in it"));
    return std::move(facts_);
  }

 private:
  Error error(int line, std::string message) const {
    return Error{Code::invalid_input, std::move(message), {}, file_, line};
  }
  Error no_unit() const {
    const auto& row = table_.rows.front();
    return error(row.line,
                 fmt::format("none of the columns {} is in a unit that is known",
                             fmt::format("{}", fmt::join(row.cells, ", ")).substr(0, 120)))
        .try_next(std::string(kMeasuredUnits));
  }
  /// Nothing for a cell that says it has none.
  Result<std::optional<double>> number(const CsvRow& row, std::size_t column) const {
    if (column >= row.cells.size() || csv_no_value(row.cells[column]))
      return std::optional<double>();
    const auto value = csv_number(row.cells[column], table_.separator);
    if (value && *value >= 0) return value;
    const auto& heading = table_.rows.front().cells;
    return fail(error(
        row.line,
        fmt::format("column {}{}: '{}' is no {}", column + 1,
                    column < heading.size() ? " ('" + heading[column] + "')" : "",
                    row.cells[column].substr(0, 60), value ? "distance, rate or time" : "number")));
  }
  void add(int line, std::string a, std::string b, const MeasuredUnit& unit, double value) {
    if (!(value > 0)) return;  // a pair that carried nothing was not measured
    facts_.push_back({{"measured", file_, line},
                      {},
                      PairFact{std::move(a), std::move(b), unit.of, value * unit.factor, false}});
  }
  void note(std::string code, int line, std::string message) {
    facts_.push_back({{"measured", file_, line},
                      {},
                      WarningFact{{std::move(code), Warning::Severity::warning, file_, line,
                                   std::move(message)}}});
  }

  Status read_pairs(const PairColumns& columns) {
    if (columns.value < 0) return fail(no_unit());
    const auto cell = [](const CsvRow& row, int column) -> std::string {
      return column >= 0 && static_cast<std::size_t>(column) < row.cells.size()
                 ? row.cells[static_cast<std::size_t>(column)]
                 : std::string();
    };
    // Tests differ in what they call bandwidth: one series counts, the one with most pairs.
    const auto series = [&](const CsvRow& row) {
      return cell(row, columns.test) + ' ' + cell(row, columns.gpus);
    };
    const std::string usual = usual_series(columns, series);
    int failed = 0, first_failed = 0;
    std::set<std::string> hosts;
    for (std::size_t i = 1; i < table_.rows.size(); ++i) {
      const CsvRow& row = table_.rows[i];
      if (series(row) != usual) continue;
      std::vector<std::string> ends;
      if (columns.hosts >= 0) {
        auto list = expand_host_list(cell(row, columns.hosts));
        if (!list) return fail(error(row.line, list.error().message));
        ends = std::move(*list);
      } else {
        ends = {cell(row, columns.from), cell(row, columns.to)};
      }
      const auto value = number(row, static_cast<std::size_t>(columns.value));
      if (!value) return tl::unexpected(value.error());
      if (ends.size() != 2 || ends[0].empty() || ends[1].empty()) {
        if (ends.size() > 2) continue;  // a run over more hosts is no pair
        return fail(error(row.line, "the row names no two hosts"));
      }
      hosts.insert(ends.begin(), ends.end());
      if (hosts.size() > kMostHosts) return fail(error(row.line, "more than 2,048 hosts"));
      if (!*value && failed++ == 0) first_failed = row.line;
      if (*value) add(row.line, ends[0], ends[1], columns.unit, **value);
    }
    if (failed > 0) {
      note("measured-missing", first_failed,
           fmt::format("{} {} without a value", counted(failed, "pair"),
                       failed == 1 ? "is" : "are"));
    }
    return {};
  }

  template <class Series>
  std::string usual_series(const PairColumns& columns, Series series) const {
    std::vector<std::pair<std::string, int>> seen;
    const auto at = static_cast<std::size_t>(columns.value);
    for (std::size_t i = 1; i < table_.rows.size() && seen.size() < 64; ++i) {
      const CsvRow& row = table_.rows[i];
      const bool has_value = at < row.cells.size() && csv_number(row.cells[at], table_.separator);
      const std::string name = series(row);
      auto known = std::find_if(seen.begin(), seen.end(),
                                [&name](const auto& s) { return s.first == name; });
      if (known == seen.end()) known = seen.insert(seen.end(), {name, 0});
      known->second += has_value ? 1 : 0;
    }
    const auto most = std::max_element(
        seen.begin(), seen.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == seen.end() ? std::string() : most->first;
  }

  Status read_matrix() {
    const auto& heading = table_.rows.front();
    const std::vector<std::string> names(heading.cells.begin() + 1, heading.cells.end());
    if (names.size() > kMostHosts) return fail(error(heading.line, "more than 2,048 hosts"));
    if (names.size() < 2) return fail(error(heading.line, "the matrix has fewer than two columns"));
    std::set<std::string> once(names.begin(), names.end());
    if (once.size() != names.size() || once.contains("")) {
      return fail(error(heading.line, "the matrix names a column twice, or not at all"));
    }
    auto said = matrix_unit(heading.cells.front());
    if (!said) return fail(std::move(said).error().at(file_, heading.line));
    const MeasuredUnit unit = *said;
    int missing = 0, first_missing = 0;
    std::set<std::string> rows;
    for (std::size_t i = 1; i < table_.rows.size(); ++i) {
      const CsvRow& row = table_.rows[i];
      const std::string& from = row.cells.front();
      if (!once.contains(from)) {
        return fail(error(row.line, fmt::format("row '{}' has no column", from.substr(0, 60))));
      }
      if (!rows.insert(from).second) {
        return fail(error(row.line, fmt::format("row '{}' stands twice", from)));
      }
      if (row.cells.size() != names.size() + 1) {
        return fail(error(row.line, fmt::format("the row has {} cells, the heading {}",
                                                row.cells.size(), names.size() + 1)));
      }
      for (std::size_t c = 0; c < names.size(); ++c) {
        if (names[c] == from) {
          // Of rates and times it is what a host reaches with itself; words ("X") are a fashion.
          const auto own = csv_number(row.cells[c + 1], table_.separator);
          if (unit.of == PairFact::Of::distance && own.value_or(0) != 0)
            return fail(error(row.line, fmt::format("column {} ('{}'): '{}' is {} away from itself",
                                                    c + 2, names[c], from, row.cells[c + 1])));
          continue;
        }
        const auto value = number(row, c + 1);
        if (!value) return tl::unexpected(value.error());
        if (*value) add(row.line, from, names[c], unit, **value);
        if (!*value && missing++ == 0) first_missing = row.line;
      }
    }
    if (rows.size() != names.size()) {
      return fail(
          error(table_.rows.back().line,
                fmt::format("the matrix has {} rows and {} columns", rows.size(), names.size())));
    }
    if (missing > 0) {
      note("measured-missing", first_missing,
           fmt::format("{} {} without a value", counted(missing, "cell"),
                       missing == 1 ? "is" : "are"));
    }
    return {};
  }

  CsvTable table_;
  const std::string& file_;
  std::vector<Fact> facts_;
};

}  // namespace

bool looks_like_pair_csv(std::string_view text) {
  const auto table = csv_rows(text.substr(0, 1 << 16));
  if (table.rows.size() < 2 || table.rows.front().cells.size() < 3) return false;
  const auto& heading = table.rows.front().cells;
  if (pair_columns(heading).ends()) return true;
  // A matrix: its second line begins with one of its columns, and has a cell for each. Most are
  // numbers; where none is, the corner says that they were meant to be.
  const auto& row = table.rows[1].cells;
  const bool named = std::find(heading.begin() + 1, heading.end(), row.front()) != heading.end();
  if (!named || row.size() < 3) return false;
  const auto fit = std::count_if(row.begin() + 1, row.end(), [&table](const std::string& cell) {
    return csv_no_value(cell) || csv_number(cell, table.separator).has_value();
  });
  const bool meant = heading.front().empty() || measured_unit(heading.front()).has_value();
  return fit > 0 || (meant && row.size() == heading.size());
}

Result<std::vector<Fact>> facts_from_pair_csv(std::string_view text, const std::string& file) {
  return Reader(text, file).read();
}

}  // namespace topolaunch::topo
