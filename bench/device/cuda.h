// SPDX-License-Identifier: Apache-2.0
//
// DevicePort over one GPU, and looking whether there is one. The only folder that includes CUDA's
// headers, with subject/nccl.
#pragma once

#include <memory>
#include <string>

#include "bench/device_port.h"

struct CUstream_st;

namespace topolaunch::bench {

/// What the CUDA runtime says about GPUs here.
struct CudaSight {
  int count = 0;     ///< visible GPUs; 0 if there are none or they can't be asked for
  bool asked = true; ///< false: could not look (no driver, too old a driver)
  std::string why;   ///< the runtime's words if count is 0
};
CudaSight look_for_gpus();

/// unavailable with CUDA's name of the failure in `call`, or success for 0.
Status cuda_status(int code, const char* call);

class CudaDevice final : public DevicePort {
 public:
  /// Takes GPU number `index` of this process.
  static Result<std::unique_ptr<CudaDevice>> open(int index);
  ~CudaDevice() override;
  std::string address() const override { return address_; }
  std::string info() const override { return info_; }
  int index() const override { return index_; }
  CUstream_st* stream() const { return stream_; }  ///< where fill and check run, in order
  Result<void*> allocate(std::size_t bytes) override;
  void release(void* memory) noexcept override;
  Status poison(void* memory, std::size_t bytes) override;
  Status fill(const kernels::Pattern& pattern, std::uint32_t rank, kernels::ElementType type,
              void* memory, std::uint64_t count, std::uint64_t first) override;
  Result<std::int64_t> count_wrong(const kernels::Pattern& pattern, const kernels::Expected& expected,
                                   kernels::ElementType type, const void* memory,
                                   std::uint64_t count) override;

 private:
  CudaDevice() = default;
  int index_ = 0;
  std::string address_, info_;
  CUstream_st* stream_ = nullptr;
  void* wrong_ = nullptr;  ///< one 64-bit counter on the GPU
};

}  // namespace topolaunch::bench
