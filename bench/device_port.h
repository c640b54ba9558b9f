// SPDX-License-Identifier: Apache-2.0
//
// Port: the memory that a collective works on, of the host or of a GPU. Everything above it is the
// same for both, so that all of it but the CUDA calls runs where there is no GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/result.h"
#include "kernels/pattern.h"

namespace topolaunch::bench {

class DevicePort {
 public:
  virtual ~DevicePort() = default;
  virtual std::string address() const = 0;  ///< PCI address "0000:18:00.0", or "cpu"
  virtual std::string info() const = 0;     ///< model, or the CPUs that may be used
  virtual int index() const = 0;            ///< CUDA's number in this process; -1 = the host

  /// At least `bytes` (0 is allowed), aligned for any vector load. unavailable if there is no room.
  virtual Result<void*> allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) noexcept = 0;
  /// Sets every byte to 0xff: NaN, or -1, which no pattern's result is.
  virtual Status poison(void* memory, std::size_t bytes) = 0;
  /// Writes what `rank` contributes, from index `first` on. Done when it returns.
  virtual Status fill(const kernels::Pattern& pattern, std::uint32_t rank,
                      kernels::ElementType type, void* memory, std::uint64_t count,
                      std::uint64_t first) = 0;
  /// How many of `count` elements aren't exactly what is expected.
  virtual Result<std::int64_t> count_wrong(const kernels::Pattern& pattern,
                                           const kernels::Expected& expected,
                                           kernels::ElementType type, const void* memory,
                                           std::uint64_t count) = 0;
};

/// Memory of a port, given back at the end. The port has to live longer.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  static Result<DeviceBuffer> allocate(DevicePort& port, std::size_t bytes) {
    auto memory = port.allocate(bytes);
    if (!memory) return fail(std::move(memory).error());
    return DeviceBuffer(&port, *memory);
  }
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : port_(std::exchange(other.port_, nullptr)), memory_(std::exchange(other.memory_, nullptr)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(port_, other.port_);
    std::swap(memory_, other.memory_);
    return *this;
  }
  ~DeviceBuffer() {
    if (port_ != nullptr) port_->release(memory_);
  }
  void* data() const { return memory_; }

 private:
  DeviceBuffer(DevicePort* port, void* memory) : port_(port), memory_(memory) {}
  DevicePort* port_ = nullptr;
  void* memory_ = nullptr;
};

constexpr std::size_t element_bytes(kernels::ElementType) { return 4; }  // both are 32 bits wide

}  // namespace topolaunch::bench
