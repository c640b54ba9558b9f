// SPDX-License-Identifier: Apache-2.0
//
// NVML opened at run time. A driver's library has the calls of its age, so every one of them may be
// missing; a missing call answers kFunctionNotFound, as NVML itself would.
//
//   auto nvml = NvmlLibrary::open();
//   if (!nvml) ...  // unavailable, with the loader's or NVML's own reason
//   unsigned count = 0;
//   nvml->call(nvml->device_count, &count);
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "topo/source/nvml_abi.h"

namespace topolaunch::topo {

class NvmlLibrary {
 public:
  /// dlopen("libnvidia-ml.so.1") and nvmlInit_v2. unavailable if the library isn't there or says
  /// that it can't work (driver not loaded, no permission, version mismatch), each with its reason.
  static Result<NvmlLibrary> open();

  template <class... Parameters, class... Arguments>
  nvml_abi::Return call(nvml_abi::Return (*function)(Parameters...), Arguments... arguments) const {
    return function == nullptr ? nvml_abi::kFunctionNotFound : function(arguments...);
  }
  /// NVML's own words for a code ("GPU is lost"), or "NVML error 15".
  std::string text(nvml_abi::Return code) const;

  template <class... Parameters>
  using Function = nvml_abi::Return (*)(Parameters...);
  using Device = nvml_abi::Device;

  Function<char*, unsigned> driver_version = nullptr;
  Function<unsigned*> device_count = nullptr;
  Function<unsigned, Device*> handle_by_index = nullptr;
  Function<const char*, Device*> handle_by_pci = nullptr;
  Function<Device, char*, unsigned> uuid = nullptr;
  Function<Device, nvml_abi::PciInfo*> pci_info = nullptr;
  Function<Device, char*, unsigned> name = nullptr;
  Function<Device, nvml_abi::Memory*> memory_info = nullptr;
  Function<Device, int*, int*> compute_capability = nullptr;
  Function<Device, unsigned, int*> link_state = nullptr;
  Function<Device, unsigned, int, unsigned*> link_capability = nullptr;
  Function<Device, unsigned, nvml_abi::PciInfo*> link_remote_pci = nullptr;
  Function<Device, unsigned, int*> link_remote_type = nullptr;
  Function<Device, unsigned, unsigned*> link_version = nullptr;
  Function<Device, int, nvml_abi::FieldValue*> field_values = nullptr;
  Function<Device, Device, int, int*> p2p_status = nullptr;
  Function<Device, unsigned, unsigned long*> cpu_affinity = nullptr;
  Function<Device, unsigned, unsigned long*, unsigned> cpu_affinity_within = nullptr;
  Function<Device, unsigned, unsigned long*, unsigned> memory_affinity = nullptr;
  Function<Device, unsigned*> numa_node_id = nullptr;
  Function<Device, unsigned*, unsigned*> mig_mode = nullptr;
  Function<Device, unsigned*> mig_count = nullptr;
  Function<Device, unsigned, Device*> mig_handle = nullptr;
  Function<Device, nvml_abi::DeviceAttributes*> attributes = nullptr;
  Function<Device, void*> fabric_info_versioned = nullptr;  ///< FabricInfo2 or FabricInfo3
  Function<Device, nvml_abi::FabricInfo1*> fabric_info = nullptr;
  Function<Device, unsigned*> pcie_generation = nullptr;
  Function<Device, unsigned*> pcie_width = nullptr;
  Function<Device, unsigned*> pcie_generation_max = nullptr;
  Function<Device, unsigned*> pcie_width_max = nullptr;
  Function<Device, nvml_abi::Utilization*> utilization = nullptr;
  Function<Device, int, unsigned*> clock = nullptr, clock_max = nullptr;
  Function<Device, int, unsigned*> temperature = nullptr;
  Function<Device, unsigned long long*> clock_reasons = nullptr;

 private:
  struct Handle;  ///< shuts NVML down and closes the library with its last owner
  NvmlLibrary() = default;
  std::shared_ptr<Handle> handle_;
  const char* (*error_string_)(nvml_abi::Return) = nullptr;
};

}  // namespace topolaunch::topo
