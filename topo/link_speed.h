// SPDX-License-Identifier: Apache-2.0
//
// What a link carries, one direction: NVLink by compute capability, PCIe by generation and width,
// InfiniBand by name. Two kinds of figure, never mixed: the data sheet's payload rate, and the
// constant that NCCL's model uses (nccl_*). Every row of the tables names source and version.
//
//   nvlink_per_link(90)  25 GB/s      nccl_nvlink_per_link(90)  20.6 GB/s
//   pcie(5, 16)          63 GB/s      nccl_pcie(5, 16)          48 GB/s
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace topolaunch::topo {

/// Payload rate of one NVLink of a GPU of this compute capability (90 for 9.0); unknown if the
/// generation is not in the table.
Bandwidth nvlink_per_link(int compute_capability);
/// What NCCL 2.28.9 counts for it.
Bandwidth nccl_nvlink_per_link(int compute_capability);
/// The most NVLinks that a GPU of this generation has; 0 = none. Unknown capability: the largest of
/// the table.
int nvlink_most_links(int compute_capability);
/// NVLink-C2C between Grace and one GPU.
Bandwidth nvlink_c2c();

/// PCIe payload after encoding; unknown for generation or width 0.
Bandwidth pcie(int generation, int width);
/// What NCCL 2.28.9 counts; it takes generation 3 for an unknown one and 16 lanes for width 0.
Bandwidth nccl_pcie(int generation, int width);
/// Generation from sysfs' current_link_speed: "16.0 GT/s PCIe", "32 GT/s"; nothing if not readable.
std::optional<int> pcie_generation(std::string_view link_speed);
/// The same the other way: "16.0 GT/s PCIe"; empty for an unknown generation.
std::string pcie_link_speed(int generation);

/// Rate of a network port by its name: "ndr", "HDR", "efa", "100g", "400Gb/s"; nothing if unknown.
std::optional<Bandwidth> network_rate(std::string_view name);
/// The names that network_rate() knows, for messages.
std::vector<std::string> network_rate_names();

}  // namespace topolaunch::topo
