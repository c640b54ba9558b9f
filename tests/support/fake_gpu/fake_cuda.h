// SPDX-License-Identifier: Apache-2.0
//
// A CUDA runtime of ours over host memory, with just the calls that topobench makes: what stands
// above it (bench/device/cuda, bench/subject/nccl) runs as it is, without a GPU. Linked in place of
// libcudart. A stream is a queue: what is enqueued runs when somebody waits for it, so that a wait
// which is missing shows as memory that nobody has written. Variables of the environment say what
// is there:
//   FAKE_GPUS=N        so many GPUs; without it there is no driver: cudaGetDeviceCount returns 35
//   and
//                      leaves its output as it was, cudaMallocHost fails
//   FAKE_GPU_FAULT=WHAT  malloc | nccl_init | async_error | corrupt | no_capture |
//                         fast_clock (everything seems to take a hundredth of its time)
#pragma once

#include <cuda_runtime_api.h>

#include <deque>
#include <functional>
#include <string_view>

struct CUgraph_st {
  std::deque<std::function<void()>> work;
};
struct CUgraphExec_st {
  std::deque<std::function<void()>> work;
};
struct CUstream_st {
  std::deque<std::function<void()>> queue;
  CUgraph_st* capture = nullptr;

  void enqueue(std::function<void()> work) {
    (capture != nullptr ? capture->work : queue).push_back(std::move(work));
  }
  void run_all() {
    while (!queue.empty()) {
      auto work = std::move(queue.front());
      queue.pop_front();
      work();
    }
  }
};

namespace topolaunch::fake_gpu {
/// Whether FAKE_GPU_FAULT names it.
bool fault(std::string_view what);
}  // namespace topolaunch::fake_gpu
