// SPDX-License-Identifier: Apache-2.0
//
// Pattern fill and check on host memory. T is float or std::int32_t.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/pattern.h"

namespace topolaunch::kernels {

/// Writes what `rank` contributes, for indices first, first + 1, ...
template <class T>
void fill_host(const Pattern& p, std::uint32_t rank, std::span<T> into, std::uint64_t first = 0) {
  for (std::size_t i = 0; i < into.size(); ++i) {
    into[i] = static_cast<T>(value_at(p, rank, first + i));
  }
}

/// Elements of `result` that aren't exactly what they have to be (NaN is wrong).
template <class T>
std::int64_t count_wrong_host(const Pattern& p, const Expected& expected,
                              std::span<const T> result) {
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    // Written so that NaN counts as wrong.
    const bool right = result[i] == static_cast<T>(right_at(p, expected, i));
    wrong += right ? 0 : 1;
  }
  return wrong;
}

}  // namespace topolaunch::kernels
