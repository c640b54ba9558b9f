// SPDX-License-Identifier: Apache-2.0
//
// The square tables of nvidia-smi: `topo -m` (links, PCIe relations, NUMA) and `topo -p2p r`. A
// table is read by the names in front of its rows, so a header that was shifted in pasting, or
// lost, does no harm; a table whose end is missing is read as far as it goes and said to be
// partial.
//
//         GPU0  GPU1  NIC0  CPU Affinity  NUMA Affinity  GPU NUMA ID
//   GPU0   X    NV4   PIX   0-15          0              N/A
#pragma once

#include <map>
#include <string>
#include <vector>

#include "topo/fact.h"
#include "topo/smi/lines.h"

namespace topolaunch::topo::smi {

/// Where a table begins: a line that names GPUs as its columns, or the first row of a table
/// without.
bool begins_matrix(const Line& line);

/// One table as text: what stands in which cell, nothing understood yet.
struct Matrix {
  struct Row {
    int line = 0;
    std::vector<std::string> cells;     ///< up to one a column
    std::vector<std::string> affinity;  ///< the words behind them
    bool whole = true;                  ///< false: the text ends within it
  };
  int line = 0;
  std::vector<std::string> columns;  ///< "GPU0", ..., "NIC0" or "mlx5_0"
  int affinity_columns = 0;          ///< of CPU Affinity, NUMA Affinity, GPU NUMA ID
  std::map<std::string, Row> rows;
  std::map<std::string, std::string> nic_names;  ///< "NIC0" -> "mlx5_0"
  std::vector<std::string>
      lost;                   ///< columns that a row or the legend names, and the header doesn't
  bool headings_cut = false;  ///< the header ends within "CPU Affinity" and what follows
};

/// Whether two tables say the same, wherever they stand.
bool same_table(const Matrix& a, const Matrix& b);

/// Whether it is a table of `topo -p2p`.
bool is_p2p(const Matrix& matrix);

/// Takes the lines of one table from `at` on, which is left behind its last one. Legends, blank
/// lines and prompts within it are passed over. invalid_input with the line for a row that doesn't
/// fit.
Result<Matrix> take_matrix(const std::vector<Line>& lines, std::size_t& at,
                           const std::string& file);

/// Its facts, with origin "nvidia-smi FILE:LINE".
Result<std::vector<Fact>> facts_of(const Matrix& matrix, const std::string& file,
                                   const std::string& host);

}  // namespace topolaunch::topo::smi
