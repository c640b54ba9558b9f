// SPDX-License-Identifier: Apache-2.0
#include "kernels/peer_allreduce.cuh"
#include "kernels/peer_allreduce.h"

#include <cuda_runtime.h>

namespace topolaunch::kernels {
namespace {

constexpr unsigned kThreads = 512;

class DeviceTeam {
 public:
  __device__ std::uint32_t block() const { return blockIdx.x; }
  __device__ std::uint32_t blocks() const { return gridDim.x; }
  __device__ std::uint32_t thread() const { return threadIdx.x; }
  __device__ std::uint32_t threads() const { return blockDim.x; }
  __device__ void sync() { __syncthreads(); }
  __device__ bool all(bool mine) { return __syncthreads_and(mine ? 1 : 0) != 0; }
  __device__ std::uint64_t nanoseconds() const {
    std::uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
  }
  __device__ void pause() const { __nanosleep(20); }
};

template <class T>
__global__ void __launch_bounds__(kThreads) one_shot_kernel(PeerCall<T> call) {
  DeviceTeam team;
  one_shot(team, call);
}

template <class T>
__global__ void __launch_bounds__(kThreads) two_shot_kernel(PeerCall<T> call) {
  DeviceTeam team;
  two_shot(team, call);
}

}  // namespace

template <class T>
int launch_peer_allreduce(Shots shots, const PeerCall<T>& call, unsigned blocks,
                          CUstream_st* stream) {
  if (shots == Shots::one) {
    one_shot_kernel<<<blocks, kThreads, 0, stream>>>(call);
  } else {
    two_shot_kernel<<<blocks, kThreads, 0, stream>>>(call);
  }
  return cudaGetLastError();
}

template int launch_peer_allreduce(Shots, const PeerCall<float>&, unsigned, CUstream_st*);
template int launch_peer_allreduce(Shots, const PeerCall<Bf16>&, unsigned, CUstream_st*);

}  // namespace topolaunch::kernels
