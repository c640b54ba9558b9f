// SPDX-License-Identifier: Apache-2.0
//
// --traffic FILE: who sends how many bytes to whom, as a file. The format is recognised from the
// content:
//   - a square matrix, entries by blanks or commas, row sends to column ('#' or '%' starts a comment);
//   - Matrix Market ("%%MatrixMarket matrix coordinate|array real|integer|pattern general|symmetric");
//   - a METIS graph ("n m [fmt]", then one line of neighbours a vertex; each edge weight counts once).
#pragma once

#include <string>

#include "mapping/rank_graph.h"

namespace topolaunch::mapping {

/// Edges with the bytes of both directions added. Fractions are rounded up. invalid_input with file
/// and line: not a number, negative, not square, an index out of range, a one-sided METIS edge,
/// a sum over 2^62. At most 2^20 ranks (sparse), 16,384 (dense).
Result<RankGraph> graph_from_traffic(const std::string& text, const std::string& file);

}  // namespace topolaunch::mapping
