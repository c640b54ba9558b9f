// SPDX-License-Identifier: Apache-2.0
#include "bench/device/pinned.h"

#include <cuda_runtime_api.h>

#include <cstdlib>
#include <utility>

namespace topolaunch::bench {

PinnedMemory::PinnedMemory(void* memory, bool pinned, std::string why_not)
    : memory_(memory), pinned_(pinned), why_not_(std::move(why_not)) {}

PinnedMemory::PinnedMemory(PinnedMemory&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)),
      pinned_(other.pinned_),
      why_not_(std::move(other.why_not_)) {}

PinnedMemory& PinnedMemory::operator=(PinnedMemory&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(pinned_, other.pinned_);
  std::swap(why_not_, other.why_not_);
  return *this;
}

PinnedMemory::~PinnedMemory() {
  if (memory_ == nullptr) return;
  if (pinned_) {
    static_cast<void>(cudaFreeHost(memory_));
  } else {
    std::free(memory_);
  }
}

Result<PinnedMemory> PinnedMemory::allocate(std::size_t bytes) {
  void* memory = nullptr;  // stays as it is when the call fails
  const cudaError_t status = cudaMallocHost(&memory, bytes > 0 ? bytes : 1);
  if (status == cudaSuccess && memory != nullptr) return PinnedMemory(memory, true, {});
  static_cast<void>(cudaGetLastError());
  memory = std::malloc(bytes > 0 ? bytes : 1);
  if (memory == nullptr) return fail(Code::unavailable, "no room for host memory");
  return PinnedMemory(memory, false, std::string("cudaMallocHost: ") + cudaGetErrorName(status));
}

}  // namespace topolaunch::bench
