// SPDX-License-Identifier: Apache-2.0
//
// bfloat16 as storage: the upper half of a float. Sums are made in float.
#pragma once

#include <cstdint>

#include "kernels/execution.h"

namespace topolaunch::kernels {

struct Bf16 {
  std::uint16_t bits = 0;
};

TOPOLAUNCH_BOTH_SIDES constexpr float widened(float v) { return v; }
// (The builtin behind std::bit_cast: nvcc takes that for a host function.)
TOPOLAUNCH_BOTH_SIDES constexpr float widened(Bf16 v) {
  return __builtin_bit_cast(float, static_cast<std::uint32_t>(v.bits) << 16);
}

/// Round to nearest, ties to even; NaN stays NaN.
template <class T>
TOPOLAUNCH_BOTH_SIDES constexpr T narrowed(float v) {
  if constexpr (sizeof(T) == sizeof(float)) {
    return v;
  } else {
    const auto bits = __builtin_bit_cast(std::uint32_t, v);
    if ((bits & 0x7fffffffU) > 0x7f800000U) return T{static_cast<std::uint16_t>(bits >> 16 | 0x40U)};
    return T{static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16 & 1U)) >> 16)};
  }
}

}  // namespace topolaunch::kernels
