// SPDX-License-Identifier: Apache-2.0
//
// A libnvidia-ml.so.1 that answers from the machine profile in $TOPOLAUNCH_NVML_PROFILE, so that
// discovery can be tried through the real dlopen path on a machine without GPUs. Without a profile it
// says what NVML says without a driver. Built twice: NVML_REPLAY_OLD leaves out what drivers of 2016
// (375.x) did not have yet.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "tests/support/nvml_replay/calls.h"

std::unique_ptr<topolaunch::nvml_replay::Profile>& topolaunch::nvml_replay::profile() {
  static std::unique_ptr<Profile> instance;
  return instance;
}

namespace {

using namespace topolaunch::topo::nvml_abi;
using topolaunch::nvml_replay::device_of, topolaunch::nvml_replay::handle_of,
    topolaunch::nvml_replay::profile, topolaunch::nvml_replay::store, topolaunch::nvml_replay::with;
namespace replay = topolaunch::nvml_replay;

Return copy(const std::string& text, char* buffer, unsigned length) {
  if (buffer == nullptr || length == 0) return kInvalidArgument;
  if (text.size() + 1 > length) return kInsufficientSize;
  std::memcpy(buffer, text.c_str(), text.size() + 1);
  return kSuccess;
}

void fill(const replay::Pci& pci, PciInfo& out) {
  out = {};
  out.domain = pci.domain;
  out.bus = pci.bus;
  out.device = pci.device;
  // The legacy text holds 16 bits of domain, as in NVML.
  std::snprintf(out.bus_id_legacy, sizeof out.bus_id_legacy, "%04X:%02X:%02X.0", pci.domain & 0xffffU,
                pci.bus & 0xffU, pci.device & 0x1fU);
  std::snprintf(out.bus_id, sizeof out.bus_id, "%08X:%02X:%02X.0", pci.domain, pci.bus & 0xffU,
                pci.device & 0x1fU);
}

Return set_bits(const std::vector<int>& numbers, unsigned words, unsigned long* out) {
  if (numbers.empty()) return kNotSupported;
  constexpr unsigned kBits = 8 * sizeof(unsigned long);
  std::fill(out, out + words, 0UL);
  for (const int number : numbers) {
    const auto n = static_cast<unsigned>(number);
    if (n / kBits >= words) return kInsufficientSize;
    out[n / kBits] |= 1UL << (n % kBits);
  }
  return kSuccess;
}

template <class Visit>
Return with_link(const char* call, Device handle, unsigned number, Visit visit) {
  return with(call, handle, [&](replay::Device& device) -> Return {
    if (device.links.empty()) return kNotSupported;
    if (number >= device.links.size()) return kInvalidArgument;
    return visit(device, device.links[number]);
  });
}

Return pcie(const char* call, Device handle, unsigned* out, unsigned replay::Device::*member) {
  return with(call, handle, [&](replay::Device& device) -> Return {
    return device.*member == 0 ? kNotSupported : store(out, device.*member);
  });
}

#ifndef NVML_REPLAY_OLD
template <class Info>
Return fill_fabric(const replay::Device& device, Info& out) {
  std::copy(device.cluster.begin(), device.cluster.end(), out.cluster_uuid);
  out.status = device.fabric_status;
  out.clique_id = device.clique;
  out.state = device.fabric_state;
  return kSuccess;
}

void fill_field(const replay::Device& device, FieldValue& field) {
  field.status = kNotSupported;
  const auto answer = [&field](unsigned value) {
    field.status = kSuccess;
    field.value_type = kUnsignedInt;
    field.value.ui = value;
  };
  if (field.field_id == kFieldLinkCount && !device.links.empty()) {
    answer(static_cast<unsigned>(device.links.size()));
  } else if (field.field_id == kFieldLinkSpeed && field.scope_id < device.links.size() &&
             device.link_speed > 0) {
    answer(device.links[field.scope_id].active ? device.link_speed : 0);
  } else if (field.field_id == kFieldC2cCount && device.c2c_links > 0) {
    answer(device.c2c_links);
  } else if (field.field_id == kFieldC2cStatus && field.scope_id < device.c2c_links) {
    answer(1);
  } else if (field.field_id == kFieldC2cBandwidth && field.scope_id < device.c2c_links) {
    answer(device.c2c_speed);
  }
}
#endif

}  // namespace

NVML_EXPORT Return nvmlInit_v2() {
  const char* const path = std::getenv("TOPOLAUNCH_NVML_PROFILE");
  if (path == nullptr) return kDriverNotLoaded;
  auto read = replay::read_profile(path);
  if (!read) return kUnknown;
  const Return answer = read->init;
  if (answer == kSuccess) profile() = std::move(read);
  return answer;
}

NVML_EXPORT Return nvmlShutdown() {
  if (!profile()) return kUninitialized;
  profile().reset();
  return kSuccess;
}

NVML_EXPORT const char* nvmlErrorString(Return code) {
  switch (code) {
    case kSuccess: return "Success";
    case kUninitialized: return "Uninitialized";
    case kInvalidArgument: return "Invalid Argument";
    case kNotSupported: return "Not Supported";
    case kNoPermission: return "Insufficient Permissions";
    case kNotFound: return "Not Found";
    case kInsufficientSize: return "Insufficient Size";
    case kDriverNotLoaded: return "Driver Not Loaded";
    case kTimeout: return "Timeout";
    case kFunctionNotFound: return "Function Not Found";
    case kGpuIsLost: return "GPU is lost";
    case kLibraryVersionMismatch: return "Driver/library version mismatch";
    case kArgumentVersionMismatch: return "Argument version mismatch";
    default: return "Unknown Error";
  }
}

NVML_EXPORT Return nvmlSystemGetDriverVersion(char* buffer, unsigned length) {
  return profile() ? copy(profile()->driver, buffer, length) : kUninitialized;
}

NVML_EXPORT Return nvmlDeviceGetCount_v2(unsigned* count) {
  return profile() ? store(count, static_cast<unsigned>(profile()->gpus.size())) : kUninitialized;
}

NVML_EXPORT Return nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* handle) {
  if (!profile()) return kUninitialized;
  if (index >= profile()->gpus.size()) return kInvalidArgument;
  const Device device = handle_of(profile()->gpus[index]);
  return with("nvmlDeviceGetHandleByIndex_v2", device,
              [&](replay::Device&) { return store(handle, device); });
}

NVML_EXPORT Return nvmlDeviceGetUUID(Device handle, char* buffer, unsigned length) {
  return with("nvmlDeviceGetUUID", handle, [&](auto& device) { return copy(device.uuid, buffer, length); });
}

NVML_EXPORT Return nvmlDeviceGetName(Device handle, char* buffer, unsigned length) {
  return with("nvmlDeviceGetName", handle, [&](auto& device) { return copy(device.name, buffer, length); });
}

NVML_EXPORT Return nvmlDeviceGetMemoryInfo(Device handle, Memory* out) {
  return with("nvmlDeviceGetMemoryInfo", handle, [&](auto& device) {
    out->total = device.memory;
    out->used = 0;
    out->free = device.memory;
    return kSuccess;
  });
}

NVML_EXPORT Return nvmlDeviceGetCudaComputeCapability(Device handle, int* major, int* minor) {
  return with("nvmlDeviceGetCudaComputeCapability", handle, [&](auto& device) {
    *major = device.capability_major;
    *minor = device.capability_minor;
    return kSuccess;
  });
}

NVML_EXPORT Return nvmlDeviceGetNvLinkState(Device handle, unsigned link, int* active) {
  return with_link("nvmlDeviceGetNvLinkState", handle, link,
                   [&](auto&, auto& one) { return store(active, one.active ? 1 : 0); });
}

NVML_EXPORT Return nvmlDeviceGetNvLinkCapability(Device handle, unsigned link, int capability,
                                                 unsigned* out) {
  return with_link("nvmlDeviceGetNvLinkCapability", handle, link, [&](auto&, auto& one) {
    return store(out, one.active || capability == kLinkCapabilityValid ? 1U : 0U);
  });
}

NVML_EXPORT Return nvmlDeviceGetNvLinkVersion(Device handle, unsigned link, unsigned* version) {
  return with_link("nvmlDeviceGetNvLinkVersion", handle, link,
                   [&](auto& device, auto&) { return store(version, device.link_version); });
}

NVML_EXPORT Return nvmlDeviceGetP2PStatus(Device a, Device b, int /*capability*/, int* status) {
  return with("nvmlDeviceGetP2PStatus", a, [&](replay::Device&) -> Return {
    const auto& gpus = profile()->gpus;
    const auto index = [&](Device handle) {
      return static_cast<std::size_t>(device_of(handle) - gpus.data());
    };
    const auto found = profile()->p2p.find(std::minmax(index(a), index(b)));
    return store(status, found == profile()->p2p.end() ? profile()->p2p_default : found->second);
  });
}

NVML_EXPORT Return nvmlDeviceGetCpuAffinity(Device handle, unsigned words, unsigned long* set) {
  return with("nvmlDeviceGetCpuAffinity", handle,
              [&](auto& device) { return set_bits(device.cpus, words, set); });
}

NVML_EXPORT Return nvmlDeviceGetCurrPcieLinkGeneration(Device handle, unsigned* out) {
  return pcie("nvmlDeviceGetCurrPcieLinkGeneration", handle, out, &replay::Device::generation);
}
NVML_EXPORT Return nvmlDeviceGetCurrPcieLinkWidth(Device handle, unsigned* out) {
  return pcie("nvmlDeviceGetCurrPcieLinkWidth", handle, out, &replay::Device::width);
}
NVML_EXPORT Return nvmlDeviceGetMaxPcieLinkGeneration(Device handle, unsigned* out) {
  return pcie("nvmlDeviceGetMaxPcieLinkGeneration", handle, out, &replay::Device::generation_max);
}
NVML_EXPORT Return nvmlDeviceGetMaxPcieLinkWidth(Device handle, unsigned* out) {
  return pcie("nvmlDeviceGetMaxPcieLinkWidth", handle, out, &replay::Device::width_max);
}

// The old driver knows the older of each pair; its PCI struct ends before `bus_id`.
#ifdef NVML_REPLAY_OLD
#define NVML_PCI_INFO nvmlDeviceGetPciInfo_v2
#define NVML_REMOTE_PCI_INFO nvmlDeviceGetNvLinkRemotePciInfo
#else
#define NVML_PCI_INFO nvmlDeviceGetPciInfo_v3
#define NVML_REMOTE_PCI_INFO nvmlDeviceGetNvLinkRemotePciInfo_v2
#endif

namespace {
void fill_as_known(const replay::Pci& pci, PciInfo* out) {
#ifdef NVML_REPLAY_OLD
  PciInfo whole;
  fill(pci, whole);
  std::memcpy(out, &whole, offsetof(PciInfo, bus_id));
#else
  fill(pci, *out);
#endif
}
}  // namespace

NVML_EXPORT Return NVML_PCI_INFO(Device handle, PciInfo* out) {
  return with("nvmlDeviceGetPciInfo_v3", handle, [&](auto& device) {
    fill_as_known(device.pci, out);
    return kSuccess;
  });
}

NVML_EXPORT Return NVML_REMOTE_PCI_INFO(Device handle, unsigned link, PciInfo* out) {
  return with_link("nvmlDeviceGetNvLinkRemotePciInfo_v2", handle, link, [&](auto&, auto& one) -> Return {
    if (!one.active) return kNotSupported;
    // What real drivers give for an end that has no address in this machine.
    fill_as_known(one.has_pci ? one.pci : replay::Pci{0xffffffffU, 0xff, 0x1f}, out);
    return kSuccess;
  });
}

#ifndef NVML_REPLAY_OLD

NVML_EXPORT Return nvmlDeviceGetNvLinkRemoteDeviceType(Device handle, unsigned link, int* type) {
  return with_link("nvmlDeviceGetNvLinkRemoteDeviceType", handle, link, [&](auto&, auto& one) -> Return {
    return one.active ? store(type, one.remote) : kNotSupported;
  });
}

NVML_EXPORT Return nvmlDeviceGetFieldValues(Device handle, int count, FieldValue* values) {
  return with("nvmlDeviceGetFieldValues", handle, [&](auto& device) {
    for (int i = 0; i < count; ++i) fill_field(device, values[i]);
    return kSuccess;
  });
}

NVML_EXPORT Return nvmlDeviceGetCpuAffinityWithinScope(Device handle, unsigned words,
                                                       unsigned long* set, unsigned /*scope*/) {
  return with("nvmlDeviceGetCpuAffinityWithinScope", handle,
              [&](auto& device) { return set_bits(device.cpus, words, set); });
}

NVML_EXPORT Return nvmlDeviceGetMemoryAffinity(Device handle, unsigned words, unsigned long* set,
                                               unsigned /*scope*/) {
  return with("nvmlDeviceGetMemoryAffinity", handle,
              [&](auto& device) { return set_bits(device.nodes, words, set); });
}

NVML_EXPORT Return nvmlDeviceGetNumaNodeId(Device handle, unsigned* node) {
  return with("nvmlDeviceGetNumaNodeId", handle, [&](auto& device) -> Return {
    return device.memory_node < 0 ? kNotSupported : store(node, static_cast<unsigned>(device.memory_node));
  });
}

NVML_EXPORT Return nvmlDeviceGetMigMode(Device handle, unsigned* current, unsigned* pending) {
  return with("nvmlDeviceGetMigMode", handle, [&](auto& device) -> Return {
    if (!device.mig_capable) return kNotSupported;
    *current = *pending = device.mig_enabled ? 1 : 0;
    return kSuccess;
  });
}

NVML_EXPORT Return nvmlDeviceGetMaxMigDeviceCount(Device handle, unsigned* count) {
  return with("nvmlDeviceGetMaxMigDeviceCount", handle,
              [&](auto& device) { return store(count, device.mig_slots); });
}

NVML_EXPORT Return nvmlDeviceGetMigDeviceHandleByIndex(Device handle, unsigned index, Device* out) {
  return with("nvmlDeviceGetMigDeviceHandleByIndex", handle, [&](auto& device) -> Return {
    return index < device.mig.size() ? store(out, handle_of(device.mig[index])) : kNotFound;
  });
}

NVML_EXPORT Return nvmlDeviceGetAttributes_v2(Device handle, DeviceAttributes* out) {
  return with("nvmlDeviceGetAttributes_v2", handle, [&](auto& device) -> Return {
    if (device.mig_memory_mb == 0) return kNotSupported;
    *out = {};
    out->memory_size_mb = device.mig_memory_mb;
    return kSuccess;
  });
}

NVML_EXPORT Return nvmlDeviceGetGpuFabricInfoV(Device handle, void* out) {
  return with("nvmlDeviceGetGpuFabricInfoV", handle, [&](auto& device) -> Return {
    unsigned tag = 0;
    std::memcpy(&tag, out, sizeof tag);
    const unsigned version = tag >> 24U;
    const bool known = (version == 2 && tag == version_tag<FabricInfo2>(2)) ||
                       (version == 3 && tag == version_tag<FabricInfo3>(3));
    if (!known || version > profile()->fabric_struct) return kArgumentVersionMismatch;
    if (!device.fabric) return kNotSupported;
    // Version 2 is a beginning of version 3; only so much is written.
    FabricInfo3 info{};
    info.version = tag;
    fill_fabric(device, info);
    std::memcpy(out, &info, version == 2 ? sizeof(FabricInfo2) : sizeof(FabricInfo3));
    return kSuccess;
  });
}

NVML_EXPORT Return nvmlDeviceGetGpuFabricInfo(Device handle, FabricInfo1* out) {
  return with("nvmlDeviceGetGpuFabricInfo", handle, [&](auto& device) -> Return {
    return device.fabric ? fill_fabric(device, *out) : kNotSupported;
  });
}

#endif
