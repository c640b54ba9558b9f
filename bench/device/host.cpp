// SPDX-License-Identifier: Apache-2.0
#include "bench/device/host.h"

#include <cstdlib>
#include <cstring>
#include <span>

#include "base/units.h"
#include "kernels/pattern_host.h"

namespace topolaunch::bench {

Result<void*> HostDevice::allocate(std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  const std::size_t whole = (bytes / kPage + 1) * kPage;
  void* memory = std::aligned_alloc(kPage, whole);
  if (memory == nullptr) {
    return fail(Code::unavailable,
                "no room for " + to_text(Bytes(static_cast<std::int64_t>(bytes))) + " of host memory",
                "a smaller largest size (-e)");
  }
  // Touched here, so that pages are there, and on this CPU's NUMA node, before anything is timed.
  std::memset(memory, 0, whole);
  return memory;
}

void HostDevice::release(void* memory) noexcept { std::free(memory); }

Status HostDevice::poison(void* memory, std::size_t bytes) {
  std::memset(memory, 0xff, bytes);
  return {};
}

Status HostDevice::fill(const kernels::Pattern& pattern, std::uint32_t rank,
                        kernels::ElementType type, void* memory, std::uint64_t count,
                        std::uint64_t first) {
  if (type == kernels::ElementType::float32) {
    kernels::fill_host(pattern, rank, std::span(static_cast<float*>(memory), count), first);
  } else {
    kernels::fill_host(pattern, rank, std::span(static_cast<std::int32_t*>(memory), count), first);
  }
  return {};
}

Result<std::int64_t> HostDevice::count_wrong(const kernels::Pattern& pattern,
                                             const kernels::Expected& expected,
                                             kernels::ElementType type, const void* memory,
                                             std::uint64_t count) {
  if (type == kernels::ElementType::float32) {
    return kernels::count_wrong_host(pattern, expected,
                                     std::span(static_cast<const float*>(memory), count));
  }
  return kernels::count_wrong_host(pattern, expected,
                                   std::span(static_cast<const std::int32_t*>(memory), count));
}

}  // namespace topolaunch::bench
