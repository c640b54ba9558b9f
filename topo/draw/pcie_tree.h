// SPDX-License-Identifier: Apache-2.0
//
// The PCIe switches of some GPUs and NICs, as nested groups. Only what groups is kept: a bridge
// above a single device or a single other bridge says nothing that a drawing could show.
#pragma once

#include <optional>
#include <vector>

#include "topo/topology.h"

namespace topolaunch::topo::draw {

struct PcieGroup {
  std::optional<PciAddress> bridge;  ///< nothing: the root of it all
  std::vector<const Gpu*> gpus;      ///< right below it
  std::vector<const Nic*> nics;
  std::vector<PcieGroup> groups;  ///< switches below it, in PCI order
};

/// Refers to the devices, which have to outlive it.
PcieGroup pcie_tree(const std::vector<const Gpu*>& gpus, const std::vector<const Nic*>& nics);

}  // namespace topolaunch::topo::draw
