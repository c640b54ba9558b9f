// SPDX-License-Identifier: Apache-2.0
//
// What the columns of a table of pairs hold, by their headings.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "topo/measured_unit.h"

namespace topolaunch::topo {

/// Numbers of columns from 0; -1 = not there.
struct PairColumns {
  int from = -1, to = -1;
  int hosts = -1;  ///< both ends as one host list
  int value = -1;
  int test = -1;
  int gpus = -1;  ///< of each host; a run over eight is no repeat of one over one
  MeasuredUnit unit;

  /// A row a pair, whether or not a column is in a unit that is known.
  bool ends() const { return (from >= 0 && to >= 0) || (hosts >= 0 && value >= 0); }
};

PairColumns pair_columns(const std::vector<std::string>& heading);

/// The unit of a matrix from its first cell: a distance where the cell names none, invalid_input
/// for words that are no unit that is known.
Result<MeasuredUnit> matrix_unit(const std::string& corner);

}  // namespace topolaunch::topo
