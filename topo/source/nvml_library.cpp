// SPDX-License-Identifier: Apache-2.0
#include "topo/source/nvml_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace topolaunch::topo {

using namespace nvml_abi;

struct NvmlLibrary::Handle {
  void* library = nullptr;
  Return (*shutdown)() = nullptr;  ///< set once nvmlInit has succeeded
  Handle() = default;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (shutdown != nullptr) shutdown();
    if (library != nullptr) ::dlclose(library);
  }
};

namespace {

constexpr const char* kLibrary = "libnvidia-ml.so.1";

/// Looks the first of `names` up that the library has: newer spelling first.
template <class F>
void find(void* library, F& function, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    function = reinterpret_cast<F>(::dlsym(library, name));
    if (function != nullptr) return;
  }
}

std::string what_to_do(Return code) {
  switch (code) {
    case kDriverNotLoaded:
      return "load it (modprobe nvidia), or start the container with its GPUs (--gpus all)";
    case kNoPermission:
      return "check the permissions of /dev/nvidiactl and the device cgroup";
    case kLibraryVersionMismatch:
      return "the driver was updated under a running kernel module: reload it or reboot";
    default:
      return "nvidia-smi shows the same library's view";
  }
}

}  // namespace

Result<NvmlLibrary> NvmlLibrary::open() {
  NvmlLibrary nvml;
  nvml.handle_ = std::make_shared<Handle>();
  ::dlerror();
  void* const library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const reason = ::dlerror();
    return fail(Code::unavailable, reason != nullptr ? reason : std::string("can't load ") + kLibrary,
                "install the NVIDIA driver where there are GPUs; in a container, start it with its "
                "GPUs");
  }
  nvml.handle_->library = library;

  Return (*init)() = nullptr;
  Return (*shutdown)() = nullptr;
  find(library, init, {"nvmlInit_v2", "nvmlInit"});
  find(library, shutdown, {"nvmlShutdown"});
  find(library, nvml.error_string_, {"nvmlErrorString"});
  if (init == nullptr) {
    return fail(Code::unavailable, std::string(kLibrary) + " has no nvmlInit_v2: not NVIDIA's NVML");
  }
  if (const Return code = init(); code != kSuccess) {
    const std::string what = code == kDriverNotLoaded ? "the NVIDIA driver is not loaded"
                                                      : "NVML does not start";
    return fail(Code::unavailable, fmt::format("{} (nvmlInit_v2: {})", what, nvml.text(code)),
                what_to_do(code));
  }
  nvml.handle_->shutdown = shutdown;

  find(library, nvml.driver_version, {"nvmlSystemGetDriverVersion"});
  find(library, nvml.device_count, {"nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"});
  find(library, nvml.handle_by_index,
       {"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"});
  find(library, nvml.handle_by_pci,
       {"nvmlDeviceGetHandleByPciBusId_v2", "nvmlDeviceGetHandleByPciBusId"});
  find(library, nvml.uuid, {"nvmlDeviceGetUUID"});
  // _v2 fills the same struct; before it the struct was shorter, so nothing older is called.
  find(library, nvml.pci_info, {"nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfo_v2"});
  find(library, nvml.name, {"nvmlDeviceGetName"});
  find(library, nvml.memory_info, {"nvmlDeviceGetMemoryInfo"});
  find(library, nvml.compute_capability, {"nvmlDeviceGetCudaComputeCapability"});
  find(library, nvml.link_state, {"nvmlDeviceGetNvLinkState"});
  find(library, nvml.link_capability, {"nvmlDeviceGetNvLinkCapability"});
  find(library, nvml.link_remote_pci,
       {"nvmlDeviceGetNvLinkRemotePciInfo_v2", "nvmlDeviceGetNvLinkRemotePciInfo"});
  find(library, nvml.link_remote_type, {"nvmlDeviceGetNvLinkRemoteDeviceType"});
  find(library, nvml.link_version, {"nvmlDeviceGetNvLinkVersion"});
  find(library, nvml.field_values, {"nvmlDeviceGetFieldValues"});
  find(library, nvml.p2p_status, {"nvmlDeviceGetP2PStatus"});
  find(library, nvml.cpu_affinity, {"nvmlDeviceGetCpuAffinity"});
  find(library, nvml.cpu_affinity_within, {"nvmlDeviceGetCpuAffinityWithinScope"});
  find(library, nvml.memory_affinity, {"nvmlDeviceGetMemoryAffinity"});
  find(library, nvml.numa_node_id, {"nvmlDeviceGetNumaNodeId"});
  find(library, nvml.mig_mode, {"nvmlDeviceGetMigMode"});
  find(library, nvml.mig_count, {"nvmlDeviceGetMaxMigDeviceCount"});
  find(library, nvml.mig_handle, {"nvmlDeviceGetMigDeviceHandleByIndex"});
  find(library, nvml.attributes, {"nvmlDeviceGetAttributes_v2"});
  find(library, nvml.fabric_info_versioned, {"nvmlDeviceGetGpuFabricInfoV"});
  find(library, nvml.fabric_info, {"nvmlDeviceGetGpuFabricInfo"});
  find(library, nvml.pcie_generation, {"nvmlDeviceGetCurrPcieLinkGeneration"});
  find(library, nvml.pcie_width, {"nvmlDeviceGetCurrPcieLinkWidth"});
  find(library, nvml.pcie_generation_max,
       {"nvmlDeviceGetGpuMaxPcieLinkGeneration", "nvmlDeviceGetMaxPcieLinkGeneration"});
  find(library, nvml.pcie_width_max, {"nvmlDeviceGetMaxPcieLinkWidth"});
  find(library, nvml.utilization, {"nvmlDeviceGetUtilizationRates"});
  find(library, nvml.clock, {"nvmlDeviceGetClockInfo"});
  find(library, nvml.clock_max, {"nvmlDeviceGetMaxClockInfo"});
  find(library, nvml.temperature, {"nvmlDeviceGetTemperature"});
  find(library, nvml.clock_reasons,
       {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
  return nvml;
}

std::string NvmlLibrary::text(Return code) const {
  const char* const words = error_string_ != nullptr ? error_string_(code) : nullptr;
  return words != nullptr && *words != '\0' ? std::string(words)
                                            : fmt::format("NVML error {}", code);
}

}  // namespace topolaunch::topo
