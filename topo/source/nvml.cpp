// SPDX-License-Identifier: Apache-2.0
#include "topo/source/nvml.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.h"
#include "topo/source/nvml_device.h"

namespace topolaunch::topo {

using namespace nvml_abi;

namespace {

constexpr unsigned kMostGpus = 256;  // a hostile or broken library must not keep us for ever

constexpr const char* kOpen = "nvmlDeviceGetHandleByIndex_v2";

struct Opened {
  std::vector<NvmlDevice> devices;
  std::vector<Warning> left_out;
};

Warning leave_out(std::string message) {
  return {"gpus-left-out", Warning::Severity::warning, {}, 0, std::move(message)};
}

/// Every device that can be told apart; the others as warnings. unavailable where NVML counts GPUs
/// and opens none: that is no machine without GPUs.
Result<Opened> open_devices(const NvmlLibrary& nvml) {
  unsigned count = 0;
  if (const Return code = nvml.call(nvml.device_count, &count); code != kSuccess) {
    return fail(Code::unavailable,
                fmt::format("NVML can't count the GPUs (nvmlDeviceGetCount_v2: {})", nvml.text(code)),
                "nvidia-smi shows the same library's view");
  }
  Opened opened;
  std::string refusal;
  for (unsigned i = 0; i < std::min(count, kMostGpus); ++i) {
    NvmlLibrary::Device handle = nullptr;
    const Return code = nvml.call(nvml.handle_by_index, i, &handle);
    NvmlDevice device(nvml, i, handle);
    if (code == kNoPermission || code == kNotSupported || code == kFunctionNotFound) {
      refusal = fmt::format("{}: {}", kOpen, nvml.text(code));
      // A GPU without permission belongs to somebody else's cgroup: not ours, and no fault.
      if (code == kNoPermission) continue;
      opened.left_out.push_back(leave_out(fmt::format("GPU {} is left out: {}", i, refusal)));
    } else if (device.ok(kOpen, code) && device.identify()) {
      opened.devices.push_back(std::move(device));
    } else if (!device.warnings().empty()) {
      std::ranges::move(device.warnings(), std::back_inserter(opened.left_out));
    } else {
      refusal = "it tells neither address nor UUID";
      opened.left_out.push_back(leave_out(fmt::format("GPU {} is left out: {}", i, refusal)));
    }
  }
  if (opened.devices.empty() && !refusal.empty()) {
    return fail(Code::unavailable,
                fmt::format("NVML counts {} and opens none ({})", counted(count, "GPU"), refusal),
                "ask the resource manager for GPUs (ls -l /dev/nvidia*); nvidia-smi shows the same "
                "library's view");
  }
  if (count > kMostGpus) {
    opened.left_out.push_back(leave_out(fmt::format(
        "NVML counts {} GPUs: those behind the first {} are left out", count, kMostGpus)));
  }
  return opened;
}

P2pStatus p2p_status(int status) {
  switch (status) {
    case kP2pOk:
      return P2pStatus::ok;
    case kP2pDisabledByRegkey:
      return P2pStatus::disabled;
    case kP2pChipsetNotSupported:
    case kP2pGpuNotSupported:
    case kP2pIohNotSupported:
    case kP2pNotSupported:
      return P2pStatus::not_supported;
    default:
      return P2pStatus::unknown;
  }
}

}  // namespace

Result<std::vector<Fact>> NvmlSource::look(const Outside& /*outside*/) const {
  auto nvml = NvmlLibrary::open();
  if (!nvml) return fail(std::move(nvml).error());
  auto opened = open_devices(*nvml);
  if (!opened) return fail(std::move(opened).error());

  std::vector<Fact> facts;
  const auto add = [&](auto&& what) {
    facts.push_back({{"nvml", {}, 0}, host_, std::forward<decltype(what)>(what)});
  };
  for (Warning& warning : opened->left_out) add(WarningFact{std::move(warning)});

  std::vector<NvmlDevice>& devices = opened->devices;
  std::vector<GpuFact> described;
  for (NvmlDevice& device : devices) described.push_back(device.describe());
  // A GPU may be lost between two questions: then it is no GPU to plan with.
  std::vector<PciAddress> known;
  for (NvmlDevice& device : devices) {
    if (!device.lost() && device.pci()) known.push_back(*device.pci());
  }
  for (std::size_t i = 0; i < devices.size(); ++i) {
    NvmlDevice& device = devices[i];
    std::vector<GpuLinkFact> links;
    if (!device.lost()) links = device.links(known);
    if (!device.lost()) {
      add(std::move(described[i]));
      for (GpuLinkFact& link : links) add(std::move(link));
    }
  }
  for (std::size_t i = 0; i < devices.size(); ++i) {
    for (std::size_t j = i + 1; j < devices.size(); ++j) {
      NvmlDevice& a = devices[i];
      if (a.lost() || devices[j].lost()) continue;
      int status = kP2pUnknown;
      if (a.ok("nvmlDeviceGetP2PStatus", nvml->call(nvml->p2p_status, a.handle(),
                                                    devices[j].handle(), kP2pRead, &status))) {
        add(P2pFact{a.ref(), devices[j].ref(), p2p_status(status)});
      }
    }
  }
  for (NvmlDevice& device : devices) {
    for (Warning& warning : device.warnings()) add(WarningFact{std::move(warning)});
  }
  return facts;
}

Result<std::vector<GpuIdentity>> gpu_identities() {
  auto nvml = NvmlLibrary::open();
  if (!nvml) return fail(std::move(nvml).error());
  auto opened = open_devices(*nvml);
  if (!opened) return fail(std::move(opened).error());
  std::vector<GpuIdentity> gpus;
  for (NvmlDevice& device : opened->devices) {
    gpus.push_back({device.ref().index.value_or(0), device.uuid(),
                    device.pci().value_or(PciAddress{}), device.mig_uuids()});
  }
  return gpus;
}

const GpuIdentity* find_gpu(const std::vector<GpuIdentity>& gpus, std::string_view name) {
  const auto address = PciAddress::parse(name);
  const GpuIdentity* found = nullptr;
  for (const GpuIdentity& gpu : gpus) {
    bool meant = address ? gpu.pci == *address : false;
    // CUDA takes any beginning of a UUID that is unambiguous; MIG ones have to be whole.
    if (name.starts_with("GPU-") && name.size() > 4) meant = gpu.uuid.starts_with(name);
    if (name.starts_with("MIG-")) meant = std::ranges::find(gpu.mig, name) != gpu.mig.end();
    if (!meant) continue;
    if (found != nullptr) return nullptr;
    found = &gpu;
  }
  return found;
}

}  // namespace topolaunch::topo
