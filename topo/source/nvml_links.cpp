// SPDX-License-Identifier: Apache-2.0
//
// NvmlDevice's questions about NVLink and NVLink-C2C.
#include <fmt/format.h>

#include <algorithm>

#include "topo/source/nvml_device.h"

namespace topolaunch::topo {

using namespace nvml_abi;

namespace {

/// Usable rate of one link and direction by NVLink version, where the driver has no field for it:
/// NVIDIA's figures per link (40 GB/s of both directions for 1.0, 50 for 2.0 to 4.0, 100 for 5.0).
Bandwidth speed_of_version(unsigned version) {
  switch (version) {
    case 1:
      return Bandwidth::gigabytes_per_second(20);
    case 2:
    case 3:
    case 4:
      return Bandwidth::gigabytes_per_second(25);
    case 5:
      return Bandwidth::gigabytes_per_second(50);
    default:
      return {};
  }
}

bool same_end(const GpuLinkFact& a, const GpuLinkFact& b) {
  return a.to == b.to && a.type == b.type && a.peer.pci == b.peer.pci;
}

}  // namespace

std::optional<unsigned long long> NvmlDevice::field(unsigned id, unsigned scope) {
  FieldValue value{};
  value.field_id = id;
  value.scope_id = scope;
  // A field that a driver doesn't know fails in `status`, some drivers fail the whole call: both
  // mean that it isn't to be had.
  if (nvml_.call(nvml_.field_values, device_, 1, &value) != kSuccess || value.status != kSuccess) {
    return std::nullopt;
  }
  switch (value.value_type) {
    case kDouble:
      return value.value.d >= 0 && value.value.d < 1e18
                 ? std::optional(static_cast<unsigned long long>(value.value.d))
                 : std::nullopt;
    case kUnsignedInt:
      return value.value.ui;
    case kUnsignedLong:
      return value.value.ul;
    case kUnsignedLongLong:
      return value.value.ull;
    case kSignedInt:
      return value.value.si < 0 ? std::nullopt
                                : std::optional(static_cast<unsigned long long>(value.value.si));
    case kSignedLongLong:
      return value.value.sll < 0 ? std::nullopt
                                 : std::optional(static_cast<unsigned long long>(value.value.sll));
    case kUnsignedShort:
      return value.value.us;
    default:
      return std::nullopt;
  }
}

Bandwidth NvmlDevice::link_speed(unsigned number) {
  auto speed = field(kFieldLinkSpeed, number);
  if (!speed || *speed == 0) {
    if (number < 6) speed = field(kFieldLinkSpeedOfLink0 + number, 0);
    if (number >= 6 && number < 12) speed = field(kFieldLinkSpeedOfLink6 + number - 6, 0);
  }
  if (speed && *speed > 0) return Bandwidth::bytes_per_second(static_cast<double>(*speed) * 1e6);
  unsigned version = 0;
  if (ok("nvmlDeviceGetNvLinkVersion",
         nvml_.call(nvml_.link_version, device_, number, &version))) {
    return speed_of_version(version);
  }
  return {};
}

std::optional<GpuLinkFact> NvmlDevice::link(unsigned number, const std::vector<PciAddress>& known) {
  int active = 0;
  const Return state = nvml_.call(nvml_.link_state, device_, number, &active);
  // Past the last link: not supported, or an invalid argument.
  if (state == kInvalidArgument || !ok("nvmlDeviceGetNvLinkState", state)) return std::nullopt;
  unsigned valid = 1;
  if (nvml_.call(nvml_.link_capability, device_, number, kLinkCapabilityValid, &valid) ==
          kSuccess &&
      valid == 0) {
    return std::nullopt;
  }
  GpuLinkFact fact;
  fact.from = ref();
  if (active == 0) {
    fact.inactive = 1;
    return fact;
  }
  fact.count = 1;
  fact.bandwidth = link_speed(number);
  int type = kRemoteUnknown;
  ok("nvmlDeviceGetNvLinkRemoteDeviceType",
     nvml_.call(nvml_.link_remote_type, device_, number, &type));
  PciInfo info{};
  std::optional<PciAddress> remote;
  // A switch that a virtual machine doesn't see has no address there, only a type.
  if (ok("nvmlDeviceGetNvLinkRemotePciInfo_v2",
         nvml_.call(nvml_.link_remote_pci, device_, number, &info)) &&
      info.bus <= 0xff && info.device <= 0x1f) {
    remote = PciAddress{info.domain, static_cast<std::uint8_t>(info.bus),
                        static_cast<std::uint8_t>(info.device), 0};
  }
  const bool is_gpu = remote && std::ranges::find(known, *remote) != known.end();
  // The address of a GPU of this host settles it (drivers before 450 tell no type); a GPU that this
  // host doesn't show stays unknown.
  if (is_gpu) {
    fact.to = GpuLink::To::gpu;
    fact.peer.pci = remote;
  } else if (type == kRemoteSwitch) {
    fact.to = GpuLink::To::nvswitch;
  } else if (type == kRemoteNpu) {
    fact.to = GpuLink::To::cpu;
  }
  return fact;
}

std::optional<GpuLinkFact> NvmlDevice::c2c() {
  const auto links = field(kFieldC2cCount, 0);
  if (!links || *links == 0 || *links > 64) return std::nullopt;
  GpuLinkFact fact;
  fact.from = ref();
  fact.to = GpuLink::To::cpu;
  fact.type = LinkType::c2c;
  double bytes = 0;
  for (unsigned i = 0; i < *links; ++i) {
    if (field(kFieldC2cStatus, i).value_or(0) == 0) {
      ++fact.inactive;
      continue;
    }
    ++fact.count;
    bytes += static_cast<double>(field(kFieldC2cBandwidth, i).value_or(0)) * 1e6;
  }
  fact.bandwidth = Bandwidth::bytes_per_second(bytes);
  return fact;
}

std::vector<GpuLinkFact> NvmlDevice::links(const std::vector<PciAddress>& known) {
  const auto count = field(kFieldLinkCount, 0);
  const unsigned limit = count ? static_cast<unsigned>(std::min<unsigned long long>(*count, kMaxLinks))
                               : kMaxLinks;
  std::vector<GpuLinkFact> facts;
  for (unsigned i = 0; i < limit && !lost_; ++i) {
    auto one = link(i, known);
    if (!one) {
      if (!count) break;  // numbers are dense: past the last one
      continue;
    }
    const auto same = std::ranges::find_if(facts, [&](const auto& f) { return same_end(f, *one); });
    if (same == facts.end()) {
      facts.push_back(std::move(*one));
      continue;
    }
    same->count += one->count;
    same->inactive += one->inactive;
    // Unknown plus known would be a figure for some of the links only.
    const bool known_so_far = same->count == one->count || same->bandwidth.known();
    same->bandwidth =
        one->count == 0 ? same->bandwidth
        : known_so_far && one->bandwidth.known()
            ? Bandwidth::bytes_per_second(same->bandwidth.bytes_per_second() +
                                          one->bandwidth.bytes_per_second())
            : Bandwidth();
  }
  if (auto chip = c2c()) facts.push_back(std::move(*chip));
  return facts;
}

}  // namespace topolaunch::topo
