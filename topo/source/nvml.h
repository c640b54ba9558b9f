// SPDX-License-Identifier: Apache-2.0
//
// NVIDIA GPUs as their driver tells: one GpuFact a GPU, its NVLinks by remote end, peer-to-peer
// status of pairs. A GPU that is lost, or a call that fails, is a warning that names it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topo/source.h"

namespace topolaunch::topo {

class NvmlSource final : public Source {
 public:
  explicit NvmlSource(std::string host) : host_(std::move(host)) {}
  std::string name() const override { return "nvml"; }
  std::string host() const override { return host_; }
  bool live() const override { return true; }
  /// Opens NVML anew each time. unavailable: no library, no driver, no permission, and GPUs of
  /// which none can be opened. No GPU: no facts. GPUs that are left out, the 257th and those behind
  /// it among them, are warnings.
  Result<std::vector<Fact>> look(const Outside& outside) const override;

 private:
  std::string host_;
};

/// One GPU in few words, for a program that only has to find out what it was given.
struct GpuIdentity {
  int index = 0;  ///< NVML's: PCI order over the GPUs that this process may open
  std::string uuid;
  PciAddress pci;
  std::vector<std::string> mig;  ///< UUIDs of its MIG instances
};

/// Every GPU that NVML can open here, in NVML's order. Lost ones are left out.
Result<std::vector<GpuIdentity>> gpu_identities();

/// Which of `gpus` is meant by an entry of CUDA_VISIBLE_DEVICES or a PCI address: "GPU-1f2e..." or
/// an unambiguous beginning of it, "MIG-...", "0000:18:00.0". Indices are not resolved here: they
/// depend on CUDA_DEVICE_ORDER. Null if none, or more than one, is meant.
const GpuIdentity* find_gpu(const std::vector<GpuIdentity>& gpus, std::string_view name);

}  // namespace topolaunch::topo
