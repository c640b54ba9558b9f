// SPDX-License-Identifier: Apache-2.0
#include "topo/draw/pcie_tree.h"

#include <map>
#include <utility>

namespace topolaunch::topo::draw {
namespace {

constexpr std::size_t kDeepest = 32;  ///< bridges above one device; a file may claim any number

struct Node {
  std::map<PciAddress, Node> below;
  std::vector<const Gpu*> gpus;
  std::vector<const Nic*> nics;
};

Node& place_of(Node& root, const std::vector<PciAddress>& path) {
  Node* at = &root;
  for (std::size_t i = 0; i < path.size() && i < kDeepest; ++i) at = &at->below[path[i]];
  return *at;
}

std::size_t devices(const PcieGroup& group) { return group.gpus.size() + group.nics.size(); }

PcieGroup grouped(const Node& node, std::optional<PciAddress> bridge) {
  PcieGroup out{bridge, node.gpus, node.nics, {}};
  for (const auto& [address, below] : node.below) {
    PcieGroup child = grouped(below, address);
    const bool groups = devices(child) + child.groups.size() > 1;
    if (groups) {
      out.groups.push_back(std::move(child));
      continue;
    }
    out.gpus.insert(out.gpus.end(), child.gpus.begin(), child.gpus.end());
    out.nics.insert(out.nics.end(), child.nics.begin(), child.nics.end());
    for (PcieGroup& inner : child.groups) out.groups.push_back(std::move(inner));
  }
  return out;
}

}  // namespace

PcieGroup pcie_tree(const std::vector<const Gpu*>& gpus, const std::vector<const Nic*>& nics) {
  Node root;
  for (const Gpu* gpu : gpus) place_of(root, gpu->pcie_path).gpus.push_back(gpu);
  for (const Nic* nic : nics) place_of(root, nic->pcie_path).nics.push_back(nic);
  return grouped(root, {});
}

}  // namespace topolaunch::topo::draw
