// SPDX-License-Identifier: Apache-2.0
//
// DevicePort over the process's own memory.
#pragma once

#include "bench/device_port.h"

namespace topolaunch::bench {

class HostDevice final : public DevicePort {
 public:
  /// `cpus`: what this process may run on, for the table.
  explicit HostDevice(std::string cpus = {}) : cpus_(std::move(cpus)) {}
  std::string address() const override { return "cpu"; }
  std::string info() const override { return cpus_.empty() ? "host memory" : "CPUs " + cpus_; }
  int index() const override { return -1; }
  Result<void*> allocate(std::size_t bytes) override;
  void release(void* memory) noexcept override;
  Status poison(void* memory, std::size_t bytes) override;
  Status fill(const kernels::Pattern& pattern, std::uint32_t rank, kernels::ElementType type,
              void* memory, std::uint64_t count, std::uint64_t first) override;
  Result<std::int64_t> count_wrong(const kernels::Pattern& pattern, const kernels::Expected& expected,
                                   kernels::ElementType type, const void* memory,
                                   std::uint64_t count) override;

 private:
  std::string cpus_;
};

}  // namespace topolaunch::bench
