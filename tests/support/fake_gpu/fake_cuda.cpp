// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_gpu/fake_cuda.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <utility>

#include "kernels/pattern_cuda.h"
#include "kernels/pattern_host.h"

struct CUevent_st {
  std::chrono::steady_clock::time_point at;
  CUstream_st* stream = nullptr;
};

namespace topolaunch::fake_gpu {

bool fault(std::string_view what) {
  const char* named = std::getenv("FAKE_GPU_FAULT");
  return named != nullptr && what == named;
}

namespace {

int gpus() {
  const char* count = std::getenv("FAKE_GPUS");
  return count == nullptr ? -1 : std::atoi(count);
}

cudaError_t waited(cudaStream_t stream) {
  // As the real one: what waits for a stream that is being captured breaks the capture.
  if (stream->capture != nullptr) return cudaErrorStreamCaptureUnsupported;
  stream->run_all();
  return cudaSuccess;
}

}  // namespace
}  // namespace topolaunch::fake_gpu

using topolaunch::fake_gpu::fault;
using topolaunch::fake_gpu::gpus;

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  if (gpus() < 0) return cudaErrorInsufficientDriver;  // and `count` stays as it was
  *count = gpus();
  return gpus() == 0 ? cudaErrorNoDevice : cudaSuccess;
}
cudaError_t cudaGetLastError(void) { return cudaSuccess; }
const char* cudaGetErrorString(cudaError_t code) {
  return code == cudaErrorInsufficientDriver ? "CUDA driver version is insufficient"
                                             : "a fake failure";
}
const char* cudaGetErrorName(cudaError_t) { return "cudaErrorFake"; }
cudaError_t cudaSetDevice(int index) {
  return index < gpus() ? cudaSuccess : cudaErrorInvalidDevice;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = cudaDeviceProp{};
  std::strcpy(properties->name, "Fake GPU");
  return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* into, int length, int index) {
  std::snprintf(into, static_cast<std::size_t>(length), "0000:%02X:00.0", 0x1A + index);
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = new CUstream_st;
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return topolaunch::fake_gpu::waited(stream);
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  if (fault("malloc") && bytes > 1024) return cudaErrorMemoryAllocation;
  *memory = std::malloc(bytes);
  return cudaSuccess;
}
cudaError_t cudaFree(void* memory) {
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
  if (gpus() < 0) return cudaErrorInsufficientDriver;
  *memory = std::malloc(bytes);
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* memory) {
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream) {
  stream->enqueue([=] { std::memset(memory, value, bytes); });
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  stream->enqueue([=] { std::memcpy(to, from, bytes); });
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = new CUevent_st;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  event->stream = stream;
  stream->enqueue([event] { event->at = std::chrono::steady_clock::now(); });
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return topolaunch::fake_gpu::waited(event->stream);
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  *milliseconds = std::chrono::duration<float, std::milli>(end->at - start->at).count();
  if (fault("fast_clock")) *milliseconds /= 100;
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  if (fault("no_capture")) return cudaErrorStreamCaptureUnsupported;
  stream->capture = new CUgraph_st;
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  *graph = std::exchange(stream->capture, nullptr);
  return *graph == nullptr ? cudaErrorIllegalState : cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  *exec = new CUgraphExec_st{graph->work};
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  delete exec;
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  for (const auto& work : exec->work) stream->enqueue(work);
  return cudaSuccess;
}

}  // extern "C"

// The pattern kernels, on the queue as the real ones are.
namespace topolaunch::kernels {

int fill_cuda(const Pattern& p, std::uint32_t rank, ElementType type, void* into,
              std::uint64_t count, std::uint64_t first, CUstream_st* stream) {
  stream->enqueue([=] {
    if (type == ElementType::float32) {
      fill_host(p, rank, std::span(static_cast<float*>(into), count), first);
    } else {
      fill_host(p, rank, std::span(static_cast<std::int32_t*>(into), count), first);
    }
  });
  return cudaSuccess;
}

int count_wrong_cuda(const Pattern& p, const Expected& expected, ElementType type,
                     const void* result, std::uint64_t count, unsigned long long* wrong,
                     CUstream_st* stream) {
  stream->enqueue([=] {
    const std::int64_t found =
        type == ElementType::float32
            ? count_wrong_host(p, expected, std::span(static_cast<const float*>(result), count))
            : count_wrong_host(p, expected,
                               std::span(static_cast<const std::int32_t*>(result), count));
    *wrong += static_cast<unsigned long long>(found);
  });
  return cudaSuccess;
}

}  // namespace topolaunch::kernels
