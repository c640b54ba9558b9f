// SPDX-License-Identifier: Apache-2.0
//
// Mutant: flags that publish nothing. Right on x86 most of the time, garbage on a GPU now and then;
// what TSan and the PTX check have to catch.
#pragma once

#include "kernels/peer_barrier.cuh"

namespace topolaunch::kernels {

struct RelaxedStore {
  static constexpr auto publish = cuda::std::memory_order_relaxed;
  static constexpr auto observe = cuda::std::memory_order_acquire;
};
struct RelaxedLoad {
  static constexpr auto publish = cuda::std::memory_order_release;
  static constexpr auto observe = cuda::std::memory_order_relaxed;
};

}  // namespace topolaunch::kernels
