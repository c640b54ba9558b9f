// SPDX-License-Identifier: Apache-2.0
#include "launcher/measured/pair_file.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/lower_case.h"
#include "topo/csv_rows.h"
#include "topo/host_list.h"
#include "topo/measured_unit.h"

namespace topolaunch::launcher {
namespace {

using bench::PairFigure;
using Row = std::vector<std::string>;

class Table {
 public:
  Table(std::string_view text, const std::string& file) : file_(file) {
    topo::CsvTable table = topo::csv_rows(text);
    separator_ = table.separator;
    for (topo::CsvRow& row : table.rows) {
      rows_.push_back(std::move(row.cells));
      lines_.push_back(row.line);
    }
    if (rows_.empty() || rows_[0].empty()) return;
    const auto named = unit();
    times_ = (named && named->of == topo::PairFact::Of::latency) || (column("latency_us") && !column("bytes_per_second"));
  }

  bool known() const {
    if (rows_.empty()) return false;
    if (column("peak_busbw_gbs") && column("nodes")) return true;
    if (column("src") && column("dst")) return true;
    const std::size_t cells = rows_[0].size();
    return unit() && cells > 2 && rows_.size() > 1 && rows_[1].size() == cells;
  }

  Result<PairFile> read() const {
    if (rows_.size() < 2) return refuse(0, "no rows of figures");
    const auto peak = column("peak_busbw_gbs"), nodes = column("nodes");
    if (peak && nodes) return summary(*nodes, *peak);
    const auto from = column("src"), to = column("dst");
    if (from && to) return pairs(*from, *to);
    return matrix();
  }

 private:
  tl::unexpected<Error> refuse(std::size_t row, const std::string& what) const {
    return fail(Error{Code::invalid_input, what,
                      "a matrix with host names, or columns src,dst,bytes_per_second, or "
                      "nodes,peak_busbw_GBs",
                      file_, row < lines_.size() ? lines_[row] : 0});
  }
  std::optional<std::size_t> column(const std::string& name) const {
    for (std::size_t i = 0; i < rows_[0].size(); ++i) {
      if (lower_case(rows_[0][i]) == name) return i;
    }
    return std::nullopt;
  }
  /// Nothing for a cell that says there is none.
  Result<std::optional<double>> number(std::size_t row, std::size_t cell) const {
    std::string text = cell < rows_[row].size() ? rows_[row][cell] : "";
    if (text.empty() || text == "-" || lower_case(text) == "n/a" || lower_case(text) == "nan")
      return std::nullopt;
    // A pair that failed has nothing to show for it, whichever way the table counts.
    for (const char* word : {"failed", "fail", "error", "timeout", "timed out", "inf"})
      if (lower_case(text) == word) return times_ ? kNever : 0.0;
    if (separator_ != ',') std::ranges::replace(text, ',', '.');
    char* end = nullptr;
    const double v = std::strtod(text.c_str(), &end);
    if (*end != '\0' || !std::isfinite(v) || v < 0)
      return refuse(row, "\"" + text + "\" is no figure");
    return v;
  }
  std::string cell(std::size_t row, std::optional<std::size_t> at) const {
    return at && *at < rows_[row].size() ? rows_[row][*at] : "";
  }

  static constexpr double kNever = 1e30;
  static bool failed(double time) { return time > kNever / 1e12; }

  static void mention(PairFile& file, const std::string& host) {
    if (std::ranges::find(file.hosts, host) == file.hosts.end()) file.hosts.push_back(host);
  }

  Result<PairFile> summary(std::size_t nodes, std::size_t peak) const {
    const auto test = column("test"), hosts = column("n"), gpus = column("g");
    PairFile out;
    for (std::size_t r = 1; r < rows_.size(); ++r) {
      auto names = topo::expand_host_list(cell(r, nodes));
      if (!names) return refuse(r, names.error().message);
      if (names->size() != 2) continue;  // more hosts at once are no pair
      for (const std::string& host : *names) mention(out, host);
      auto value = number(r, peak);
      if (!value) return fail(std::move(value).error());
      // An empty cell is a run that left no figure, "N/A" one that nobody took.
      if (!*value && !cell(r, peak).empty()) continue;
      PairFigure f{names->front(), names->back(), value->value_or(0) * 1e9, cell(r, test)};
      if (f.test.empty()) f.test = "pairs";
      if (hosts && gpus) f.test += " N" + cell(r, hosts) + " G" + cell(r, gpus);
      out.figures.push_back(std::move(f));
    }
    return out;
  }

  Result<PairFile> pairs(std::size_t from, std::size_t to) const {
    const auto rate = column("bytes_per_second"), latency = column("latency_us");
    auto size = column("bytes");
    if (!size) size = column("size");
    if (!rate && !latency) return refuse(0, "no column bytes_per_second or latency_us");
    PairFile out;
    for (std::size_t r = 1; r < rows_.size(); ++r) {
      auto value = number(r, rate ? *rate : *latency);
      if (!value) return fail(std::move(value).error());
      mention(out, cell(r, from));
      mention(out, cell(r, to));
      if (!*value || cell(r, from) == cell(r, to)) continue;
      // Nothing arrives in no time: that is no figure.
      if (!rate && **value == 0) continue;
      const double v = rate ? **value : failed(**value) ? 0 : 1e6 / **value;
      // Small messages are slow everywhere: they are held against their like.
      std::string test = rate ? "bandwidth" : "latency";
      if (const std::string bytes = cell(r, size); !bytes.empty()) test += " of " + bytes + " B";
      out.figures.push_back({cell(r, from), cell(r, to), v, test, true, !rate});
    }
    return out;
  }

  /// That of rates or times that the first cell names.
  std::optional<topo::MeasuredUnit> unit() const {
    const auto named = topo::measured_unit(rows_[0][0]);
    return named && named->of != topo::PairFact::Of::distance ? named : std::nullopt;
  }

  Result<PairFile> matrix() const {
    if (rows_[0].size() < 3) return refuse(0, "this is no table of what pairs of hosts reached");
    const auto in = unit();
    if (!in)
      return refuse(0, "the first cell, \"" + rows_[0][0] + "\", names no unit of rates or times");
    const bool latency = in->of == topo::PairFact::Of::latency;
    const std::size_t size = rows_[0].size() - 1;
    if (rows_.size() != size + 1) return refuse(rows_.size() - 1, "the matrix isn't square");
    std::vector<std::vector<std::optional<double>>> values(
        size, std::vector<std::optional<double>>(size));
    for (std::size_t r = 0; r < size; ++r) {
      if (rows_[r + 1][0] != rows_[0][r + 1]) return refuse(r + 1, "row and column names differ");
      for (std::size_t c = 0; c < size; ++c) {
        auto value = number(r + 1, c + 1);
        if (!value) return fail(std::move(value).error());
        if (r != c) values[r][c] = *value;
      }
    }
    bool symmetric = true;
    for (std::size_t r = 0; r < size; ++r) {
      for (std::size_t c = 0; c < r; ++c) symmetric = symmetric && values[r][c] == values[c][r];
    }
    PairFile out;
    out.hosts.assign(rows_[0].begin() + 1, rows_[0].end());
    for (std::size_t r = 0; r < size; ++r) {
      for (std::size_t c = 0; c < size; ++c) {
        if (!values[r][c] || (symmetric && c < r)) continue;
        const double v = *values[r][c] * in->factor;
        if (latency && v == 0) continue;  // nothing arrives in no time
        out.figures.push_back({rows_[0][r + 1], rows_[0][c + 1],
                               !latency ? v : failed(v) ? 0 : 1 / v,
                               latency ? "latency" : "bandwidth", !symmetric, latency});
      }
    }
    return out;
  }

  std::string file_;
  bool times_ = false;  ///< cells are times: a failed one is as long as can be
  char separator_ = ',';
  std::vector<Row> rows_;
  std::vector<int> lines_;
};

}  // namespace

bool is_pair_table(std::string_view text) { return Table(text, {}).known(); }

Result<PairFile> pair_figures(std::string_view text, const std::string& file) {
  return Table(text, file).read();
}

}  // namespace topolaunch::launcher
