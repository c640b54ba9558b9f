// SPDX-License-Identifier: Apache-2.0
#include "bench/device/cuda.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/units.h"
#include "bench/device/pinned.h"
#include "kernels/pattern_cuda.h"

namespace topolaunch::bench {

CudaSight look_for_gpus() {
  // Without a driver the call returns 35 (cudaErrorInsufficientDriver, not cudaErrorNoDevice) and
  // doesn't touch its output, so that an uninitialised count would be read as GPUs (CUDA 13.0).
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess) return {std::max(count, 0), true, count > 0 ? "" : "the driver sees no GPU"};
  static_cast<void>(cudaGetLastError());
  if (status == cudaErrorNoDevice) return {0, true, "the driver sees no GPU"};
  return {0, false,
          "cudaGetDeviceCount: " + std::to_string(static_cast<int>(status)) + " (" +
              cudaGetErrorString(status) + ")"};
}

Status cuda_status(int code, const char* call) {
  if (code == cudaSuccess) return {};
  const auto status = static_cast<cudaError_t>(code);
  return fail(Code::unavailable, std::string(call) + ": " + std::to_string(code) + " (" +
                                     cudaGetErrorName(status) + ": " + cudaGetErrorString(status) +
                                     ")");
}

Result<std::unique_ptr<CudaDevice>> CudaDevice::open(int index) {
  std::unique_ptr<CudaDevice> device(new CudaDevice);
  device->index_ = index;
  if (auto s = cuda_status(cudaSetDevice(index), "cudaSetDevice"); !s) return fail(s.error());
  cudaDeviceProp properties{};
  if (auto s = cuda_status(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties"); !s) {
    return fail(s.error());
  }
  std::array<char, 32> address{};
  if (auto s = cuda_status(cudaDeviceGetPCIBusId(address.data(), address.size(), index),
                           "cudaDeviceGetPCIBusId");
      !s) {
    return fail(s.error());
  }
  device->address_ = address.data();
  std::transform(device->address_.begin(), device->address_.end(), device->address_.begin(),
                 [](unsigned char c) { return static_cast<char>(c >= 'A' && c <= 'F' ? c + 32 : c); });
  device->info_ = properties.name;
  if (auto s = cuda_status(cudaStreamCreateWithFlags(&device->stream_, cudaStreamNonBlocking),
                           "cudaStreamCreateWithFlags");
      !s) {
    return fail(s.error());
  }
  if (auto s = cuda_status(cudaMalloc(&device->wrong_, sizeof(unsigned long long)), "cudaMalloc"); !s) {
    return fail(s.error());
  }
  return device;
}

CudaDevice::~CudaDevice() {
  static_cast<void>(cudaFree(wrong_));
  if (stream_ != nullptr) static_cast<void>(cudaStreamDestroy(stream_));
}

Result<void*> CudaDevice::allocate(std::size_t bytes) {
  void* memory = nullptr;
  if (auto s = cuda_status(cudaMalloc(&memory, std::max<std::size_t>(bytes, 1)), "cudaMalloc"); !s) {
    return fail(Code::unavailable,
                "no room for " + to_text(Bytes(static_cast<std::int64_t>(bytes))) +
                    " of GPU memory: " + s.error().message,
                "a smaller largest size (-e)");
  }
  return memory;
}

void CudaDevice::release(void* memory) noexcept { static_cast<void>(cudaFree(memory)); }

Status CudaDevice::poison(void* memory, std::size_t bytes) {
  if (auto s = cuda_status(cudaMemsetAsync(memory, 0xff, bytes, stream_), "cudaMemsetAsync"); !s) {
    return s;
  }
  return cuda_status(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
}

Status CudaDevice::fill(const kernels::Pattern& pattern, std::uint32_t rank,
                        kernels::ElementType type, void* memory, std::uint64_t count,
                        std::uint64_t first) {
  if (auto s = cuda_status(kernels::fill_cuda(pattern, rank, type, memory, count, first, stream_),
                           "pattern fill");
      !s) {
    return s;
  }
  return cuda_status(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
}

Result<std::int64_t> CudaDevice::count_wrong(const kernels::Pattern& pattern,
                                             const kernels::Expected& expected,
                                             kernels::ElementType type, const void* memory,
                                             std::uint64_t count) {
  auto landing = PinnedMemory::allocate(sizeof(unsigned long long));
  if (!landing) return fail(std::move(landing).error());
  auto* counter = static_cast<unsigned long long*>(wrong_);
  int code = cudaMemsetAsync(counter, 0, sizeof(*counter), stream_);
  if (code == cudaSuccess) {
    code = kernels::count_wrong_cuda(pattern, expected, type, memory, count, counter, stream_);
  }
  if (code == cudaSuccess) {
    code = cudaMemcpyAsync(landing->data(), counter, sizeof(*counter), cudaMemcpyDeviceToHost, stream_);
  }
  if (code == cudaSuccess) code = cudaStreamSynchronize(stream_);
  if (auto s = cuda_status(code, "pattern check"); !s) return fail(s.error());
  unsigned long long wrong = 0;
  std::memcpy(&wrong, landing->data(), sizeof wrong);
  return static_cast<std::int64_t>(wrong);
}

}  // namespace topolaunch::bench
