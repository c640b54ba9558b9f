// SPDX-License-Identifier: Apache-2.0
#include "topo/smi/matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/counted.h"

namespace topolaunch::topo::smi {
namespace {

constexpr std::size_t kMostDevices =
    256;  ///< GPUs and NICs of a host; told_paths() counts in bytes

constexpr std::array<std::string_view, 3> kAffinity{"CPU Affinity", "NUMA Affinity", "GPU NUMA ID"};

bool is_gpu(std::string_view word) { return number_behind(word, "GPU").has_value(); }

bool is_self(std::string_view word) { return word == "X"; }

/// A column's name: GPU0, NIC0, or an RDMA device's own (mlx5_0, rocep65s0); no cell looks like
/// one.
bool is_device(std::string_view word) {
  const auto is = [](auto what, char c) { return what(static_cast<unsigned char>(c)) != 0; };
  return is_gpu(word) || number_behind(word, "NIC") ||
         (is([](int c) { return std::islower(c); }, word.front()) &&
          is([](int c) { return std::isdigit(c); }, word.back()));
}

/// "X    = Self", "NV#  = Connection ...", "Legend:"
bool is_legend(const std::vector<std::string_view>& words) {
  if (words.empty()) return true;
  if (words.back() == "Legend:" || (words.size() > 1 && words[1] == "=")) return true;
  return false;
}

/// Headings as a cut line may end in them: "CPU Aff", "CPU Affinity NUMA".
bool begins_headings(std::string_view text) {
  return fmt::format("{}", fmt::join(kAffinity, " ")).starts_with(text);
}

/// The words from `first` on, one blank between two.
std::string rest_of(const std::vector<std::string_view>& words,
                    std::vector<std::string_view>::const_iterator first) {
  return fmt::format("{}", fmt::join(first, words.end(), " "));
}

/// "NODE PIX SYS", "NV12 X": what stands behind the name of a row.
bool are_cells(const std::vector<std::string_view>& words) {
  return words.size() > 1 && std::all_of(words.begin() + 1, words.end(), [](std::string_view word) {
           return word.size() <= 4 &&
                  std::ranges::none_of(word, [](unsigned char c) { return std::islower(c) != 0; });
         });
}

/// The columns that a header names: "GPU0 GPU1 NIC0 CPU Affinity"; what stands before the first GPU
/// (a prompt, the command) doesn't count. Empty if the line is no header.
std::vector<std::string> columns_of(const Line& line) {
  std::string_view text = line.text;
  text = text.substr(0, text.find(kAffinity[0]));
  const auto words = words_of(text);
  const auto first = std::find_if(words.begin(), words.end(), is_gpu);
  const auto last = std::find_if_not(first, words.end(), is_device);
  if (!begins_headings(rest_of(words, last))) return {};  // a row, a sentence about GPU0
  return {first, last};
}

/// Whether the line ends within a heading.
bool headings_cut(const Line& line) {
  const auto words = words_of(line.text);
  const auto first = std::find_if(words.begin(), words.end(), is_gpu);
  const auto rest = rest_of(words, std::find_if_not(first, words.end(), is_device));
  return !rest.empty() && begins_headings(rest) &&
         std::ranges::none_of(kAffinity, [&](auto heading) { return rest.ends_with(heading); });
}

int affinity_columns_of(const Line& line) {
  return static_cast<int>(std::count_if(kAffinity.begin(), kAffinity.end(), [&](auto name) {
    return line.text.find(name) != std::string::npos;
  }));
}

bool is_row(const std::vector<std::string_view>& words) {
  return words.size() > 1 && is_gpu(words[0]) &&
         std::any_of(words.begin() + 1, words.end(), is_self);
}

class Taker {
 public:
  Taker(const std::vector<Line>& lines, std::size_t& at, const std::string& file)
      : lines_(lines), at_(at), file_(file) {}

  Result<Matrix> take() {
    matrix_.line = lines_[at_].number;
    matrix_.columns = columns_of(lines_[at_]);
    if (!matrix_.columns.empty()) {
      matrix_.headings_cut = headings_cut(lines_[at_]);
      matrix_.affinity_columns = matrix_.headings_cut ? 0 : affinity_columns_of(lines_[at_]);
      ++at_;
    } else {
      name_columns_by_rows();
    }
    if (matrix_.columns.size() > kMostDevices) {
      return bad(matrix_.line, fmt::format("more than {} GPUs and NICs", kMostDevices));
    }
    for (std::size_t i = 0; i < matrix_.columns.size(); ++i) {
      if (!column_.emplace(matrix_.columns[i], i).second) {
        return bad(matrix_.line, fmt::format("{} stands twice in the header", matrix_.columns[i]));
      }
    }
    if (at_ < lines_.size() && continues_header(words_of(lines_[at_].text))) {
      return bad(lines_[at_].number, "the header goes on here: the table's lines were wrapped");
    }
    if (auto done = take_rows(); !done) return fail(std::move(done.error()));
    if (matrix_.rows.empty()) return bad(matrix_.line, "no row of the table could be read");
    find_lost();
    return std::move(matrix_);
  }

 private:
  Status take_rows() {
    for (; at_ < lines_.size(); ++at_) {
      const auto words = words_of(lines_[at_].text);
      if (is_legend(words)) continue;
      if (words.size() == 2 && words[0].ends_with(':') && words[0].starts_with("NIC")) {
        matrix_.nic_names.emplace(words[0].substr(0, words[0].size() - 1), words[1]);
        continue;
      }
      const std::string name(words[0]);
      if (!columns_of(lines_[at_]).empty()) break;
      if (!column_.contains(name)) {
        if (!is_device(name) || !are_cells(words) || words.size() - 1 != column_.size()) break;
        matrix_.lost.push_back(name);
        continue;
      }
      if (auto done = take_row(name, words); !done) return fail(std::move(done.error()));
    }
    return {};
  }

  bool continues_header(const std::vector<std::string_view>& words) const {
    return words.size() > 1 && is_device(words[0]) && !column_.contains(words[0]) &&
           begins_headings(rest_of(words, std::find_if_not(words.begin(), words.end(), is_device)));
  }

  void find_lost() {
    for (const auto& [name, device] : matrix_.nic_names) {
      if (!column_.contains(name) && std::ranges::find(matrix_.lost, name) == matrix_.lost.end())
        matrix_.lost.push_back(name);
    }
  }

  tl::unexpected<Error> bad(int line, std::string message) const {
    return fail(Error{Code::invalid_input, std::move(message),
                      "paste the whole output of nvidia-smi topo -m", file_, line});
  }

  /// Without a header the rows name the columns, in their order.
  void name_columns_by_rows() {
    for (std::size_t i = at_; i < lines_.size(); ++i) {
      const auto words = words_of(lines_[i].text);
      if (words.size() < 2 || is_legend(words) || words[0].ends_with(':')) break;
      matrix_.columns.emplace_back(words[0]);
    }
    matrix_.affinity_columns = -1;  // not said
  }

  Status take_row(const std::string& name, const std::vector<std::string_view>& words) {
    const Line& line = lines_[at_];
    const std::size_t columns = matrix_.columns.size();
    if (const auto before = matrix_.rows.find(name); before != matrix_.rows.end()) {
      return bad(line.number,
                 fmt::format("the row of {} stands on line {} already", name, before->second.line));
    }
    Matrix::Row row;
    row.line = line.number;
    const std::size_t cells = std::min(words.size() - 1, columns);
    row.cells.assign(words.begin() + 1, words.begin() + 1 + static_cast<std::ptrdiff_t>(cells));
    row.affinity.assign(words.begin() + 1 + static_cast<std::ptrdiff_t>(cells), words.end());
    if (cells < columns) {
      if (at_ + 1 < lines_.size()) {
        return bad(line.number, fmt::format("the row of {} has {}, the table {}", name,
                                            counted(cells, "cell"), counted(columns, "column")));
      }
      row.whole = false;
      // "NV1" at the very end may have been NV12.
      if (!line.whole && !row.cells.empty()) row.cells.pop_back();
    }
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (is_self(row.cells[i]) != (i == column_[name])) {
        return bad(line.number,
                   fmt::format("the row of {} has '{}' below {}: its columns are shifted", name,
                               row.cells[i], matrix_.columns[i]));
      }
    }
    matrix_.rows.emplace(name, std::move(row));
    return {};
  }

  const std::vector<Line>& lines_;
  std::size_t& at_;
  const std::string& file_;
  Matrix matrix_;
  std::map<std::string, std::size_t, std::less<>> column_;
};

}  // namespace

bool begins_matrix(const Line& line) {
  return !columns_of(line).empty() || is_row(words_of(line.text));
}

bool same_table(const Matrix& a, const Matrix& b) {
  return a.columns == b.columns &&
         std::ranges::equal(a.rows, b.rows, [](const auto& one, const auto& other) {
           return one.first == other.first && one.second.cells == other.second.cells &&
                  one.second.affinity == other.second.affinity;
         });
}

Result<Matrix> take_matrix(const std::vector<Line>& lines, std::size_t& at,
                           const std::string& file) {
  return Taker(lines, at, file).take();
}

}  // namespace topolaunch::topo::smi
