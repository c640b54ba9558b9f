// SPDX-License-Identifier: Apache-2.0
//
// Pattern fill and check on GPU memory (pattern_cuda.cu, built where nvcc is). Plain C++ for the
// caller: streams are handed over as the pointers that they are, errors as the runtime's numbers
// (0 = success, as cudaError_t).
#pragma once

#include <cstdint>

#include "kernels/pattern.h"

struct CUstream_st;

namespace topolaunch::kernels {

/// Enqueues writing what `rank` contributes, from index `first` on, into `count` elements at `into`
/// (device memory).
int fill_cuda(const Pattern& p, std::uint32_t rank, ElementType type, void* into,
              std::uint64_t count, std::uint64_t first, CUstream_st* stream);

/// Enqueues adding the number of wrong elements among `count` at `result` to `*wrong` (device
/// memory, one 64-bit counter that the caller sets to zero).
int count_wrong_cuda(const Pattern& p, const Expected& expected, ElementType type,
                     const void* result, std::uint64_t count, unsigned long long* wrong, CUstream_st* stream);

}  // namespace topolaunch::kernels
