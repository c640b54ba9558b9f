// SPDX-License-Identifier: Apache-2.0
//
// Rows of a table as programs and spreadsheets write it: commas, semicolons or tabs, cells in
// quotes, a byte order mark, CRLF, decimal commas where the separator is another character.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topolaunch::topo {

struct CsvRow {
  int line = 0;
  std::vector<std::string> cells;  ///< trimmed, without their quotes
};

struct CsvTable {
  char separator = ',';
  std::vector<CsvRow>
      rows;  ///< those with anything in them; lines that begin with '#' are left out
};

CsvTable csv_rows(std::string_view text);

/// Whether a cell says that it has no value: blank, "-", "N/A", "nan".
bool csv_no_value(std::string_view cell);

/// A number; "4,57" too if `separator` is no comma. Nothing for anything else ("-", "N/A", blank).
std::optional<double> csv_number(std::string_view cell, char separator);

}  // namespace topolaunch::topo
