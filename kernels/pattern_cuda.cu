// SPDX-License-Identifier: Apache-2.0
#include "kernels/pattern_cuda.h"

#include <cuda_runtime.h>

namespace topolaunch::kernels {
namespace {

constexpr unsigned kThreads = 256;
/// Enough blocks to fill any GPU of today several times over; the loops stride by the grid.
constexpr std::uint64_t kMostBlocks = 2048;

unsigned blocks_for(std::uint64_t count) {
  const std::uint64_t blocks = (count + kThreads - 1) / kThreads;
  return static_cast<unsigned>(blocks < kMostBlocks ? blocks : kMostBlocks);
}

template <class T>
__global__ void fill(Pattern p, std::uint32_t rank, T* into, std::uint64_t count,
                     std::uint64_t first) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    into[i] = static_cast<T>(value_at(p, rank, first + i));
  }
}

template <class T>
__global__ void count_wrong(Pattern p, Expected expected, const T* result, std::uint64_t count,
                            unsigned long long* wrong) {
  unsigned long long mine = 0;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    const bool right = result[i] == static_cast<T>(right_at(p, expected, i));
    mine += right ? 0 : 1;
  }
  // The usual case is none wrong anywhere: no atomic then.
  if (mine > 0) atomicAdd(wrong, mine);
}

}  // namespace

int fill_cuda(const Pattern& p, std::uint32_t rank, ElementType type, void* into,
              std::uint64_t count, std::uint64_t first, CUstream_st* stream) {
  if (count == 0) return cudaSuccess;
  const unsigned blocks = blocks_for(count);
  if (type == ElementType::float32) {
    fill<<<blocks, kThreads, 0, stream>>>(p, rank, static_cast<float*>(into), count, first);
  } else {
    fill<<<blocks, kThreads, 0, stream>>>(p, rank, static_cast<std::int32_t*>(into), count,
                                          first);
  }
  return cudaGetLastError();
}

int count_wrong_cuda(const Pattern& p, const Expected& expected, ElementType type,
                     const void* result, std::uint64_t count, unsigned long long* wrong, CUstream_st* stream) {
  if (count == 0) return cudaSuccess;
  const unsigned blocks = blocks_for(count);
  if (type == ElementType::float32) {
    count_wrong<<<blocks, kThreads, 0, stream>>>(p, expected, static_cast<const float*>(result),
                                                 count, wrong);
  } else {
    count_wrong<<<blocks, kThreads, 0, stream>>>(
        p, expected, static_cast<const std::int32_t*>(result), count, wrong);
  }
  return cudaGetLastError();
}

}  // namespace topolaunch::kernels
