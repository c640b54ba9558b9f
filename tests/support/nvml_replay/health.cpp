// SPDX-License-Identifier: Apache-2.0
//
// How a GPU is doing: load, clocks, heat, from "health" of the profile. What it doesn't say, the
// driver doesn't know.
#include <cstdio>
#include <cstring>

#include "tests/support/nvml_replay/calls.h"

using namespace topolaunch::topo::nvml_abi;
using topolaunch::nvml_replay::handle_of, topolaunch::nvml_replay::profile,
    topolaunch::nvml_replay::store, topolaunch::nvml_replay::with;

namespace {

Return told(unsigned* out, int value) {
  return value < 0 ? kNotSupported : store(out, static_cast<unsigned>(value));
}

}  // namespace

NVML_EXPORT Return nvmlDeviceGetHandleByPciBusId_v2(const char* address, Device* handle) {
  if (!profile()) return kUninitialized;
  unsigned domain = 0, bus = 0, device = 0;
  if (std::sscanf(address, "%x:%x:%x.", &domain, &bus, &device) != 3) return kInvalidArgument;
  for (auto& gpu : profile()->gpus) {
    if (gpu.pci.domain != domain || gpu.pci.bus != bus || gpu.pci.device != device) continue;
    return store(handle, handle_of(gpu));
  }
  return kNotFound;
}

NVML_EXPORT Return nvmlDeviceGetUtilizationRates(Device handle, Utilization* out) {
  return with("nvmlDeviceGetUtilizationRates", handle, [&](auto& device) -> Return {
    auto& busy = device.health.busy;
    if (busy.empty()) return kNotSupported;
    *out = {busy.front(), 0};
    if (busy.size() > 1) busy.erase(busy.begin());  // the last one stays
    return kSuccess;
  });
}

NVML_EXPORT Return nvmlDeviceGetClockInfo(Device handle, int /*type*/, unsigned* out) {
  return with("nvmlDeviceGetClockInfo", handle,
              [&](auto& device) { return told(out, device.health.sm_clock); });
}

NVML_EXPORT Return nvmlDeviceGetMaxClockInfo(Device handle, int /*type*/, unsigned* out) {
  return with("nvmlDeviceGetMaxClockInfo", handle,
              [&](auto& device) { return told(out, device.health.sm_clock_max); });
}

NVML_EXPORT Return nvmlDeviceGetTemperature(Device handle, int /*sensor*/, unsigned* out) {
  return with("nvmlDeviceGetTemperature", handle,
              [&](auto& device) { return told(out, device.health.temperature); });
}

// The old driver knows the older name.
#ifdef NVML_REPLAY_OLD
#define NVML_REASONS nvmlDeviceGetCurrentClocksThrottleReasons
#else
#define NVML_REASONS nvmlDeviceGetCurrentClocksEventReasons
#endif
NVML_EXPORT Return NVML_REASONS(Device handle, unsigned long long* out) {
  return with("nvmlDeviceGetCurrentClocksEventReasons", handle, [&](auto& device) -> Return {
    if (device.health.reasons < 0) return kNotSupported;
    return store(out, static_cast<unsigned long long>(device.health.reasons));
  });
}
