// SPDX-License-Identifier: Apache-2.0
//
// Compiled to PTX only, once as it is and once with MUTANT: peer_allreduce_test reads the text for
// the scope and order of the flags' stores and loads, which no test on host threads can see.
#include "kernels/peer_allreduce.cuh"
#include "kernels/peer_copy.cuh"
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

extern "C" __global__ void peer_probe_kernel(PeerLink link, std::uint64_t* own, std::uint64_t* peers,
                                             std::size_t words, std::uint32_t* wrong) {
  PtxTeam team;
  peer_probe<PtxTeam, Orders>(team, link, own, peers, words, 1, true, wrong);
}

extern "C" __global__ void peer_copy_kernel(const Sixteen* from, Sixteen* to, std::size_t count) {
  PtxTeam team;
  peer_copy(team, from, to, count);
}

extern "C" __global__ void peer_ping_pong_kernel(PeerLink link, std::uint64_t* took) {
  PtxTeam team;
  *took = peer_ping_pong<PtxTeam, Orders>(team, link, true, 1, 100);
}

}  // namespace topolaunch::kernels
