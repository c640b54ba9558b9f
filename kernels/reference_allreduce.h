// SPDX-License-Identifier: Apache-2.0
//
// The allreduce that can be seen to be right: one thread, rank after rank, element after element.
// What the parallel ones are held against where the data isn't a Pattern.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "kernels/pattern.h"

namespace topolaunch::kernels {

/// Reduces equally long inputs, one per rank, into one result.
template <class T>
std::vector<T> reference_allreduce(Reduction reduction, std::span<const std::span<const T>> inputs) {
  std::vector<T> result(inputs.empty() ? 0 : inputs.front().size());
  if (inputs.empty()) return result;
  std::copy(inputs.front().begin(), inputs.front().end(), result.begin());
  for (std::size_t rank = 1; rank < inputs.size(); ++rank) {
    for (std::size_t i = 0; i < result.size(); ++i) {
      const T other = inputs[rank][i];
      switch (reduction) {
        case Reduction::sum: result[i] = static_cast<T>(result[i] + other); break;
        case Reduction::minimum: result[i] = std::min(result[i], other); break;
        case Reduction::maximum: result[i] = std::max(result[i], other); break;
      }
    }
  }
  return result;
}

}  // namespace topolaunch::kernels
