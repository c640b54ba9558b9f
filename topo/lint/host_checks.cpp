// SPDX-License-Identifier: Apache-2.0
#include "topo/lint/host_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "topo/gpu_merge.h"
#include "topo/lint/rules.h"

namespace topolaunch::topo {
namespace {

Warning at(const std::vector<Origin>& origins, std::string code, std::string message) {
  const Origin where = origins.empty() ? Origin() : origins.front();
  return finding(std::move(code), where.file, where.line, std::move(message));
}

void check_pcie(const Host& host, std::vector<Warning>& found) {
  for (const auto& gpu : host.gpus) {
    if (gpu.pcie_width > 0 && gpu.pcie_width < gpu.pcie_width_max) {
      found.push_back(at(gpu.origins, "pcie-width",
                         fmt::format("{} runs at x{}, it can do x{}", gpu_text(host, gpu),
                                     gpu.pcie_width, gpu.pcie_width_max)));
    }
    if (gpu.pcie_generation > 0 && gpu.pcie_generation < gpu.pcie_generation_max) {
      found.push_back(
          at(gpu.origins, "pcie-generation",
             fmt::format("{} runs at PCIe generation {}, it can do {}", gpu_text(host, gpu),
                         gpu.pcie_generation, gpu.pcie_generation_max)));
    }
  }
}

/// NICs that carry traffic between hosts: RDMA ones where there are any. (A server's management
/// port sits on one socket, and no job minds.)
std::vector<const Nic*> traffic_nics(const Host& host) {
  std::vector<const Nic*> rdma, all;
  for (const auto& nic : host.nics) {
    if (!nic.up) continue;
    all.push_back(&nic);
    if (nic.rdma) rdma.push_back(&nic);
  }
  return rdma.empty() ? all : rdma;
}

void check_nic_places(const Host& host, std::vector<Warning>& found) {
  const auto nics = traffic_nics(host);
  std::set<int> with_nic;
  for (const auto* nic : nics) {
    if (!nic->numa) return;  // it may be anywhere
    with_nic.insert(*nic->numa);
  }
  if (with_nic.empty()) return;
  // Nodes of one socket count as one place where sockets are known.
  const auto socket = [&host](int numa) {
    const auto* node = host.numa_node(numa);
    return node != nullptr && node->package >= 0 ? node->package : -2 - numa;
  };
  std::set<int> sockets;
  for (const int numa : with_nic) sockets.insert(socket(numa));
  std::map<int, std::vector<const Gpu*>> far;
  for (const auto& gpu : host.gpus) {
    if (gpu.numa && !sockets.contains(socket(*gpu.numa))) far[*gpu.numa].push_back(&gpu);
  }
  for (const auto& [numa, gpus] : far) {
    found.push_back(at(gpus.front()->origins, "nic-far-socket",
                       fmt::format("{}: {} of NUMA node {} {} no NIC on the same socket", host.name,
                                   gpus.size() == 1 ? "the GPU" : fmt::format("{} GPUs", gpus.size()),
                                   numa, gpus.size() == 1 ? "has" : "have")));
  }
}

/// One NIC below the rate of all its equals. Two rates that several have each are two networks.
void check_nic_rates(const Host& host, std::vector<Warning>& found) {
  std::map<std::pair<Nic::Layer, double>, int> votes;
  std::map<Nic::Layer, int> of_layer;
  for (const auto* nic : traffic_nics(host)) {
    if (!nic->rate.known()) continue;
    ++votes[{nic->layer, nic->rate.bytes_per_second()}];
    ++of_layer[nic->layer];
  }
  for (const auto* nic : traffic_nics(host)) {
    if (!nic->rate.known() || votes[{nic->layer, nic->rate.bytes_per_second()}] > 1) continue;
    for (const auto& [key, count] : votes) {
      if (key.first != nic->layer || count + 1 != of_layer[nic->layer] || count < 2) continue;
      if (nic->rate.bytes_per_second() >= key.second) continue;
      found.push_back(at(nic->origins, "nic-odd-rate",
                         fmt::format("{} NIC {} runs at {}, the {} others at {}", host.name,
                                     nic->name, to_text(nic->rate), count,
                                     to_text(Bandwidth::bytes_per_second(key.second)))));
    }
  }
}

void check_fabric(const Topology& topology, std::vector<Warning>& found) {
  const auto& switches = topology.fabric.switches;
  std::set<std::size_t> depths;
  std::set<std::size_t> roots;
  for (const int leaf : topology.fabric.leaf_of_host) {
    if (leaf < 0) continue;
    std::size_t depth = 0;
    auto at_switch = static_cast<std::size_t>(leaf);
    while (switches[at_switch].parent >= 0 && depth <= switches.size()) {
      at_switch = static_cast<std::size_t>(switches[at_switch].parent);
      ++depth;
    }
    depths.insert(depth);
    roots.insert(at_switch);
  }
  if (depths.size() > 1) {
    found.push_back(finding("fabric-ragged", {}, 0,
                            fmt::format("hosts have between {} and {} switches above their leaf",
                                        *depths.begin(), *depths.rbegin())));
  }
  if (roots.size() > 1) {
    found.push_back(finding(
        "fabric-two-roots", {}, 0,
        fmt::format("the hosts hang below {} roots with no way between them", roots.size())));
  }
}

}  // namespace

std::vector<Warning> check_topology(const Topology& topology) {
  std::vector<Warning> found;
  for (const auto& host : topology.hosts) {
    check_pcie(host, found);
    check_nic_places(host, found);
    check_nic_rates(host, found);
  }
  check_fabric(topology, found);
  return found;
}

}  // namespace topolaunch::topo
