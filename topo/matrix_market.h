// SPDX-License-Identifier: Apache-2.0
//
// Matrix Market files of pairs: coordinate or array, real or integer, general or symmetric.
//
//   %%MatrixMarket matrix coordinate real symmetric
//   % unit: GB/s          a comment may name the unit; without one these are distances
//   % hosts: n[01-16]     and the hosts; without them host0, host1 ...
//   16 16 120
//   2 1 12.5
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topo/fact.h"

namespace topolaunch::topo {

bool looks_like_matrix_market(std::string_view text);

/// Facts with origin "measured FILE:LINE".
Result<std::vector<Fact>> facts_from_matrix_market(std::string_view text, const std::string& file);

}  // namespace topolaunch::topo
