// SPDX-License-Identifier: Apache-2.0
//
// Slurm's host list grammar: "g[001-004,7],login-a" and back.
//
//   expand_host_list("r[1-2]c[0-1]")  ->  r1c0 r1c1 r2c0 r2c1
//
// The last bracket of a name varies fastest; of those before it the first varies fastest, as Slurm
// expands them (with three brackets the middle one is the outer loop). Nothing is sorted and no
// repeat is dropped. Text behind the last bracket is read as Slurm does from 23.11 on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace topolaunch::topo {

/// Names in order. Separators are commas and blanks. wrong_usage, naming the part that can't be
/// read, for an open bracket, an empty or reversed range, or a name with characters that no host
/// name has; a range holds at most 65,536 numbers (Slurm's MAX_RANGE), a list 1,048,576 names.
Result<std::vector<std::string>> expand_host_list(std::string_view text);

/// The shortest such list that expands to `names` in this order: runs of names that differ in their
/// last number alone become ranges.
std::string compress_host_list(const std::vector<std::string>& names);

}  // namespace topolaunch::topo
