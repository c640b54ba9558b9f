// SPDX-License-Identifier: Apache-2.0
#include "topo/source/nvml_health.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace topolaunch::topo {
namespace {

using namespace nvml_abi;

struct KnownReason {
  Reason bit;
  std::string_view words;
  bool fault;
};
constexpr std::array kReasons{
    KnownReason{kReasonApplicationClocks, "applications clocks setting", false},
    KnownReason{kReasonPowerCap, "SW power cap", false},
    KnownReason{kReasonHardware, "HW slowdown", true},
    KnownReason{kReasonSyncBoost, "sync boost", false},
    KnownReason{kReasonThermal, "SW thermal slowdown", true},
    KnownReason{kReasonHardwareThermal, "HW thermal slowdown", true},
    KnownReason{kReasonPowerBrake, "HW power brake slowdown", true},
    KnownReason{kReasonDisplayClock, "display clock setting", false}};

}  // namespace

bool is_fault(const std::string& reason) {
  return std::ranges::any_of(kReasons,
                             [&](const KnownReason& r) { return r.fault && r.words == reason; });
}

Result<GpuMonitor> GpuMonitor::open(const std::string& pci_address) {
  auto nvml = NvmlLibrary::open();
  if (!nvml) return fail(std::move(nvml).error());
  NvmlLibrary::Device device = nullptr;
  const Return code = nvml->call(nvml->handle_by_pci, pci_address.c_str(), &device);
  if (code != kSuccess) {
    return fail(Code::unavailable, "NVML knows no GPU at " + pci_address + ": " + nvml->text(code));
  }
  return GpuMonitor(std::move(*nvml), device);
}

GpuHealth GpuMonitor::look() const {
  GpuHealth health;
  if (Utilization busy{}; nvml_.call(nvml_.utilization, device_, &busy) == kSuccess) {
    health.busy = static_cast<int>(busy.gpu);
  }
  const auto number = [](Return code, unsigned value) {
    return code == kSuccess ? std::optional<int>(static_cast<int>(value)) : std::nullopt;
  };
  unsigned value = 0;
  Return code = nvml_.call(nvml_.clock, device_, kClockSm, &value);
  health.sm_clock = number(code, value);
  code = nvml_.call(nvml_.clock_max, device_, kClockSm, &value);
  health.sm_clock_most = number(code, value);
  code = nvml_.call(nvml_.temperature, device_, kTemperatureGpu, &value);
  health.temperature = number(code, value);
  unsigned long long reasons = 0;
  if (nvml_.call(nvml_.clock_reasons, device_, &reasons) == kSuccess) {
    for (const KnownReason& known : kReasons) {
      if ((reasons & known.bit) != 0) health.held_back.emplace_back(known.words);
    }
  }
  return health;
}

}  // namespace topolaunch::topo
