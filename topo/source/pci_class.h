// SPDX-License-Identifier: Apache-2.0
//
// What a PCI class and vendor say about a device (PCI Code and ID Assignment Specification 1.11).
#pragma once

namespace topolaunch::topo {

inline constexpr unsigned kVendorNvidia = 0x10de;
inline constexpr unsigned kVendorAmd = 0x1002;
inline constexpr unsigned kVendorIntel = 0x8086;
inline constexpr unsigned kVendorIbm = 0x1014;
inline constexpr unsigned kVendorAmazon = 0x1d0f;

enum class GpuKind {
  none,     ///< no GPU, whatever its class: the display of a management controller (ASPEED, Matrox)
  display,  ///< may be one: drives a screen too, so a driver has to vouch for it
  compute,  ///< made to compute: no screen
};

/// `device_class` in 24 bits: 0x030200.
constexpr GpuKind gpu_kind(unsigned vendor, unsigned device_class) {
  const unsigned kind = device_class >> 8;
  switch (vendor) {
    case kVendorNvidia:
      return kind == 0x0302 ? GpuKind::compute : kind == 0x0300 ? GpuKind::display : GpuKind::none;
    case kVendorAmd:  // MI2xx: display controller, "other"; MI3xx: processing accelerator
      return kind == 0x0302 || kind == 0x0380 || kind == 0x1200 ? GpuKind::compute
             : kind == 0x0300                                   ? GpuKind::display
                                                                : GpuKind::none;
    case kVendorIntel:
      return kind >> 8 == 0x03 ? GpuKind::display : GpuKind::none;
    default:
      return GpuKind::none;
  }
}

}  // namespace topolaunch::topo
