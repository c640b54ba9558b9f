// SPDX-License-Identifier: Apache-2.0
#include "topo/source/nvml_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace topolaunch::topo {

using namespace nvml_abi;

namespace {

// Linux's largest NR_CPUS (x86 MAXSMP) is 8192 CPUs.
constexpr unsigned kAffinityWords = 8192 / (8 * sizeof(unsigned long));

PciAddress address_of(const PciInfo& info) {
  // NVML knows no function: a GPU is function 0.
  return {info.domain, static_cast<std::uint8_t>(info.bus), static_cast<std::uint8_t>(info.device),
          0};
}

CpuSet set_of(const std::array<unsigned long, kAffinityWords>& words) {
  CpuSet set;
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (unsigned long word = words[i]; word != 0; word &= word - 1) {
      set.add(static_cast<int>(i * 8 * sizeof(unsigned long)) + std::countr_zero(word));
    }
  }
  return set;
}

/// "8a2b..-...": how nvidia-smi and the GPU operator's node label write a cluster's UUID.
std::string uuid_text(const unsigned char (&bytes)[16]) {
  std::string out;
  for (std::size_t i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    out += fmt::format("{:02x}", bytes[i]);
  }
  return out;
}

/// A string of NVML's, bounded by its buffer whatever the library wrote.
template <std::size_t N>
std::string text_of(const char (&buffer)[N]) {
  return std::string(buffer, ::strnlen(buffer, N));
}

}  // namespace

std::string NvmlDevice::label() const {
  return pci_ ? fmt::format("GPU {} ({})", index_, pci_->text()) : fmt::format("GPU {}", index_);
}

bool NvmlDevice::ok(const char* call_name, Return code) {
  if (code == kSuccess) return true;
  if (code == kNotSupported || code == kFunctionNotFound) return false;
  const bool lost = code == kGpuIsLost;
  if (lost && lost_) return false;  // said once for a GPU
  lost_ = lost_ || lost;
  if (std::ranges::find(warned_calls_, call_name) != warned_calls_.end()) return false;
  warned_calls_.emplace_back(call_name);
  warnings_.push_back({lost ? "gpu-lost" : "nvml-call-failed",
                       lost ? Warning::Severity::error : Warning::Severity::warning,
                       {},
                       0,
                       fmt::format("{}: {}: {}", label(), call_name, nvml_.text(code))});
  return false;
}

bool NvmlDevice::identify() {
  PciInfo info{};
  if (ok("nvmlDeviceGetPciInfo_v3", nvml_.call(nvml_.pci_info, device_, &info))) {
    pci_ = address_of(info);
  }
  char uuid[kUuidSize] = {};
  if (ok("nvmlDeviceGetUUID",
         nvml_.call(nvml_.uuid, device_, uuid, static_cast<unsigned>(sizeof uuid)))) {
    uuid_ = text_of(uuid);
  }
  return !lost_ && (pci_.has_value() || !uuid_.empty());
}

GpuFact NvmlDevice::describe() {
  GpuFact fact;
  fact.index = static_cast<int>(index_);
  fact.uuid = uuid_;
  fact.pci = pci_;
  fact.pci_vendor = 0x10de;
  char name[kNameSize] = {};
  if (ok("nvmlDeviceGetName",
         nvml_.call(nvml_.name, device_, name, static_cast<unsigned>(sizeof name)))) {
    fact.model = text_of(name);
  }
  Memory memory{};
  if (ok("nvmlDeviceGetMemoryInfo", nvml_.call(nvml_.memory_info, device_, &memory))) {
    fact.memory = Bytes(static_cast<std::int64_t>(memory.total & 0x7fffffffffffffffULL));
  }
  int major = 0;
  int minor = 0;
  if (ok("nvmlDeviceGetCudaComputeCapability",
         nvml_.call(nvml_.compute_capability, device_, &major, &minor))) {
    fact.compute_capability = major * 10 + minor;
  }
  unsigned node = 0;
  // Only where the GPU's own memory is a NUMA node (Grace); elsewhere "not supported".
  if (ok("nvmlDeviceGetNumaNodeId", nvml_.call(nvml_.numa_node_id, device_, &node)) &&
      node < static_cast<unsigned>(CpuSet::kMaxCpu)) {
    fact.memory_numa = static_cast<int>(node);
  }
  affinity(fact);
  pcie(fact);
  fabric(fact);
  mig(fact);
  return fact;
}

void NvmlDevice::affinity(GpuFact& fact) {
  std::array<unsigned long, kAffinityWords> words{};
  Return code = nvml_.call(nvml_.cpu_affinity_within, device_, kAffinityWords, words.data(),
                           kScopeNode);
  if (code == kFunctionNotFound || code == kNotSupported) {
    code = nvml_.call(nvml_.cpu_affinity, device_, kAffinityWords, words.data());
  }
  if (ok("nvmlDeviceGetCpuAffinity", code)) fact.affinity = set_of(words);
  words = {};
  // A Grace GPU names its CPUs' node and up to eight memory-only ones: then the CPUs decide.
  if (ok("nvmlDeviceGetMemoryAffinity", nvml_.call(nvml_.memory_affinity, device_, kAffinityWords,
                                                   words.data(), kScopeNode))) {
    const CpuSet nodes = set_of(words);
    if (nodes.size() == 1) fact.numa = nodes.first();
  }
}

void NvmlDevice::pcie(GpuFact& fact) {
  const auto ask = [&](const char* call_name, NvmlLibrary::Function<Device, unsigned*> function) {
    unsigned value = 0;
    return ok(call_name, nvml_.call(function, device_, &value)) && value < 256
               ? static_cast<int>(value)
               : 0;
  };
  fact.pcie_generation = ask("nvmlDeviceGetCurrPcieLinkGeneration", nvml_.pcie_generation);
  fact.pcie_width = ask("nvmlDeviceGetCurrPcieLinkWidth", nvml_.pcie_width);
  fact.pcie_generation_max = ask("nvmlDeviceGetMaxPcieLinkGeneration", nvml_.pcie_generation_max);
  fact.pcie_width_max = ask("nvmlDeviceGetMaxPcieLinkWidth", nvml_.pcie_width_max);
}

void NvmlDevice::fabric(GpuFact& fact) {
  FabricInfo3 info{};
  info.version = version_tag<FabricInfo3>(3);
  Return code = nvml_.call(nvml_.fabric_info_versioned, device_, static_cast<void*>(&info));
  if (code == kArgumentVersionMismatch || code == kInvalidArgument) {
    // Version 2 is a beginning of version 3, so the same memory serves.
    info = {};
    info.version = version_tag<FabricInfo2>(2);
    code = nvml_.call(nvml_.fabric_info_versioned, device_, static_cast<void*>(&info));
  }
  if (code == kFunctionNotFound || code == kArgumentVersionMismatch) {
    FabricInfo1 old{};
    code = nvml_.call(nvml_.fabric_info, device_, &old);
    std::copy(std::begin(old.cluster_uuid), std::end(old.cluster_uuid), info.cluster_uuid);
    info.status = old.status;
    info.clique_id = old.clique_id;
    info.state = old.state;
  }
  if (!ok("nvmlDeviceGetGpuFabricInfoV", code)) return;
  if (info.state == kFabricNotStarted || info.state == kFabricInProgress) {
    fact.fabric_pending = true;
  } else if (info.state == kFabricCompleted) {
    // With a failed probe the cluster means nothing.
    if (!ok("fabric registration", info.status)) return;
    const bool any = std::ranges::any_of(info.cluster_uuid, [](unsigned char b) { return b != 0; });
    // A single NVSwitch host completes with a UUID of zeros: no domain shared with other hosts.
    if (any) {
      fact.fabric_cluster = uuid_text(info.cluster_uuid);
      fact.fabric_clique = static_cast<int>(info.clique_id & 0x7fffffffU);
    }
  }
}

std::vector<std::string> NvmlDevice::mig_uuids() {
  GpuFact fact;
  mig(fact);
  std::vector<std::string> uuids;
  for (const MigInstance& instance : fact.mig) uuids.push_back(instance.uuid);
  return uuids;
}

void NvmlDevice::mig(GpuFact& fact) {
  unsigned current = 0;
  unsigned pending = 0;
  if (!ok("nvmlDeviceGetMigMode", nvml_.call(nvml_.mig_mode, device_, &current, &pending)) ||
      current == 0) {
    return;
  }
  fact.mig_enabled = true;
  unsigned count = 0;
  if (!ok("nvmlDeviceGetMaxMigDeviceCount", nvml_.call(nvml_.mig_count, device_, &count))) return;
  for (unsigned i = 0; i < std::min(count, 64U); ++i) {
    Device instance = nullptr;
    const Return code = nvml_.call(nvml_.mig_handle, device_, i, &instance);
    if (code == kNotFound) continue;  // a slot that no instance is in
    if (!ok("nvmlDeviceGetMigDeviceHandleByIndex", code)) continue;
    MigInstance mig;
    char uuid[kUuidSize] = {};
    if (ok("nvmlDeviceGetUUID",
           nvml_.call(nvml_.uuid, instance, uuid, static_cast<unsigned>(sizeof uuid)))) {
      mig.uuid = text_of(uuid);
    }
    char name[kNameSize] = {};
    // "NVIDIA A100-SXM4-40GB MIG 1g.5gb": the profile stands at the end.
    if (ok("nvmlDeviceGetName",
           nvml_.call(nvml_.name, instance, name, static_cast<unsigned>(sizeof name)))) {
      const std::string text = text_of(name);
      if (const auto at = text.rfind("MIG "); at != std::string::npos) mig.profile = text.substr(at + 4);
    }
    DeviceAttributes attributes{};
    if (ok("nvmlDeviceGetAttributes_v2", nvml_.call(nvml_.attributes, instance, &attributes))) {
      mig.memory = Bytes::mib(static_cast<std::int64_t>(attributes.memory_size_mb & 0xffffffffULL));
    }
    if (!mig.uuid.empty()) fact.mig.push_back(std::move(mig));
  }
}

}  // namespace topolaunch::topo
