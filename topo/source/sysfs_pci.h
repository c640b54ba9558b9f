// SPDX-License-Identifier: Apache-2.0
//
// One PCI device as /sys shows it. The path above it is in the folder's real name:
//   /sys/devices/pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:00.0/0000:18:00.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "topo/pci_address.h"

namespace topolaunch::topo {

struct SysfsPciDevice {
  PciAddress address;
  std::vector<PciAddress> above;  ///< bridges and switches above it, root first
  std::optional<int> numa;        ///< nothing: the kernel says -1, or nothing at all
  unsigned vendor = 0, device_class = 0;  ///< 0x10de, 0x030200; 0 = unreadable
  std::string driver;             ///< "nvidia", "mlx5_core"; empty = none bound
  int generation = 0, width = 0, generation_max = 0, width_max = 0;  ///< of its link; 0 = unknown
};

/// The device in folder `path`, which may be a link or lie below a device (a netdev's `device`).
/// Nothing if no PCI device is on the way there: a virtual device.
std::optional<SysfsPciDevice> read_pci_device(const Files& files, std::string_view path);

/// A one-line file without its newline and blanks at the ends; nothing if it can't be read.
std::optional<std::string> read_line(const Files& files, const std::string& path);
/// A one-line file as a number, decimal or 0x; nothing if it isn't one.
std::optional<long> read_number(const Files& files, const std::string& path);

}  // namespace topolaunch::topo
