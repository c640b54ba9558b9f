// SPDX-License-Identifier: Apache-2.0
//
// How a GPU is doing at this moment, as NVML tells it: what a measurement needs to know of the
// device that it measures. Nothing of it enters the topology.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "topo/source/nvml_library.h"

namespace topolaunch::topo {

/// What a driver doesn't tell is absent.
struct GpuHealth {
  std::optional<int> busy;                     ///< percent of the last sample period (1/6 to 1 s)
  std::optional<int> sm_clock, sm_clock_most;  ///< MHz
  std::optional<int> temperature;              ///< degrees Celsius
  /// Why the clock is below its most, in nvidia-smi's words ("HW thermal slowdown"); idling is none.
  std::vector<std::string> held_back;
};

/// Whether a reason of `held_back` means a fault of the machine (heat, power brake), and no setting.
bool is_fault(const std::string& reason);

class GpuMonitor {
 public:
  /// The GPU at "0000:18:00.0". unavailable where NVML can't be opened or has no such GPU.
  static Result<GpuMonitor> open(const std::string& pci_address);
  GpuHealth look() const;

 private:
  GpuMonitor(NvmlLibrary nvml, NvmlLibrary::Device device)
      : nvml_(std::move(nvml)), device_(device) {}
  NvmlLibrary nvml_;
  NvmlLibrary::Device device_;
};

}  // namespace topolaunch::topo
