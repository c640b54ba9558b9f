// SPDX-License-Identifier: Apache-2.0
//
// Compiled to PTX only, once as it is and once with MUTANT: peer_allreduce_test reads the text for
// the scope and order of the flags' stores and loads, which no test on host threads can see.
#include "kernels/peer_allreduce.cuh"
#include "tests/kernels/relaxed_orders.h"

namespace topolaunch::kernels {

struct PtxTeam {
  __device__ std::uint32_t block() const { return blockIdx.x; }
  __device__ std::uint32_t blocks() const { return gridDim.x; }
  __device__ std::uint32_t thread() const { return threadIdx.x; }
  __device__ std::uint32_t threads() const { return blockDim.x; }
  __device__ void sync() { __syncthreads(); }
  __device__ bool all(bool mine) { return __syncthreads_and(mine ? 1 : 0) != 0; }
  __device__ std::uint64_t nanoseconds() const { return static_cast<std::uint64_t>(clock64()); }
  __device__ void pause() const {}
};

#ifdef MUTANT
using Orders = RelaxedStore;
#else
using Orders = SoundOrders;
#endif

extern "C" __global__ void peer_two_shot(PeerCall<float> call) {
  PtxTeam team;
  two_shot<float, PtxTeam, Orders>(team, call);
}

}  // namespace topolaunch::kernels
