// SPDX-License-Identifier: Apache-2.0
//
// PCIe paths for devices of which only nvidia-smi's words are known ("PIX", "PHB"): bridges that
// stand at addresses of no machine, such that Host::relation() gives the words back.
#pragma once

#include <cstdint>
#include <vector>

#include "topo/topology.h"

namespace topolaunch::topo::smi {

/// Domains from here on, 0x1000 of them, belong to no machine: one each for a NUMA node whose
/// bridges are known by their relations alone.
constexpr std::uint32_t kToldDomain = 0xfffe0000U;

inline bool told(const PciAddress& root) {
  return root.domain >= kToldDomain && root.domain < kToldDomain + 0x1000U;
}
inline bool told(const std::vector<PciAddress>& path) { return path.size() > 1 && told(path[0]); }

using Relations = std::vector<std::vector<PciRelation>>;

/// A path a device, root first; empty for one whose place among the others no word says.
/// `relations` is square; `unknown` where a cell is about NVLink or is missing. Of two devices that
/// are `unread`, whose rows are missing, no word is known.
std::vector<std::vector<PciAddress>> told_paths(const Relations& relations,
                                                const std::vector<bool>& unread = {});

/// The word between the devices of two such paths; unknown between two unread ones.
PciRelation told_relation(const std::vector<PciAddress>& a, const std::vector<PciAddress>& b);

}  // namespace topolaunch::topo::smi
