// SPDX-License-Identifier: Apache-2.0
#include "topo/topology.h"

#include <fmt/format.h>

#include <algorithm>

#include "topo/smi/told_paths.h"

namespace topolaunch::topo {
namespace {

bool same_bus(const PciAddress& a, const PciAddress& b) {
  return a.domain == b.domain && a.bus == b.bus;
}

/// nvidia-smi's words, from the bridges above two devices and their NUMA nodes. Two shapes of path
/// occur: sysfs and hwloc list each port of a switch (the two branches then begin with two ports on
/// the switch's inner bus), NCCL lists a switch once.
PciRelation relation_of(const PciAddress& a, const std::vector<PciAddress>& path_a,
                        std::optional<int> numa_a, const PciAddress& b,
                        const std::vector<PciAddress>& path_b, std::optional<int> numa_b) {
  if (smi::told(path_a) && smi::told(path_b)) return smi::told_relation(path_a, path_b);
  std::size_t shared = 0;
  while (shared < path_a.size() && shared < path_b.size() && path_a[shared] == path_b[shared]) {
    ++shared;
  }
  if (shared > 0) {
    const std::size_t below_a = path_a.size() - shared;
    const std::size_t below_b = path_b.size() - shared;
    if (below_a == 0 && below_b == 0) return PciRelation::pix;
    const PciAddress& branch_a = below_a > 0 ? path_a[shared] : a;
    const PciAddress& branch_b = below_b > 0 ? path_b[shared] : b;
    const bool ports_of_one_switch = below_a <= 1 && below_b <= 1 && same_bus(branch_a, branch_b);
    return ports_of_one_switch ? PciRelation::pix : PciRelation::pxb;
  }
  const bool different_numa = numa_a && numa_b && *numa_a != *numa_b;
  if (different_numa) return PciRelation::sys;
  const PciAddress& root_a = path_a.empty() ? a : path_a.front();
  const PciAddress& root_b = path_b.empty() ? b : path_b.front();
  if (same_bus(root_a, root_b)) return PciRelation::phb;
  if (numa_a && numa_b) return PciRelation::node;
  return PciRelation::unknown;
}

/// The bridges above a device place it as well as its own address does.
bool placed(const auto& device) { return device.pci || !device.pcie_path.empty(); }

PciAddress own_address(const auto& device) { return device.pci.value_or(PciAddress{}); }

/// All that can be said without PCI addresses: within a NUMA node it is NODE or closer.
PciRelation by_numa(std::optional<int> a, std::optional<int> b) {
  if (!a || !b) return PciRelation::unknown;
  return *a == *b ? PciRelation::node : PciRelation::sys;
}

}  // namespace

std::string Origin::text() const {
  if (file.empty()) return source;
  if (line <= 0) return fmt::format("{} {}", source, file);
  return fmt::format("{} {}:{}", source, file, line);
}

const NumaNode* Host::numa_node(int id) const {
  const auto found = std::lower_bound(numa.begin(), numa.end(), id,
                                      [](const NumaNode& node, int key) { return node.id < key; });
  return found != numa.end() && found->id == id ? &*found : nullptr;
}

PciRelation Host::relation(const Gpu& a, const Gpu& b) const {
  if (&a == &b || a.index == b.index) return PciRelation::same;
  if (!placed(a) || !placed(b)) return by_numa(a.numa, b.numa);
  return relation_of(own_address(a), a.pcie_path, a.numa, own_address(b), b.pcie_path, b.numa);
}

PciRelation Host::relation(const Gpu& gpu, const Nic& nic) const {
  if (!placed(gpu) || !placed(nic)) return by_numa(gpu.numa, nic.numa);
  return relation_of(own_address(gpu), gpu.pcie_path, gpu.numa, own_address(nic), nic.pcie_path,
                     nic.numa);
}

}  // namespace topolaunch::topo
