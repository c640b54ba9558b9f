// SPDX-License-Identifier: Apache-2.0
#include "topo/lint/host_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
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
  bool sockets_known = true;
  const auto socket = [&](int numa) {
    const auto* node = host.numa_node(numa);
    const bool known = node != nullptr && node->package >= 0;
    sockets_known = sockets_known && known;
    return known ? node->package : -2 - numa;
  };
  std::set<int> sockets;
  for (const int numa : with_nic) sockets.insert(socket(numa));
  std::map<int, std::vector<const Gpu*>> far;
  for (const auto& gpu : host.gpus) {
    if (gpu.numa && !sockets.contains(socket(*gpu.numa))) far[*gpu.numa].push_back(&gpu);
  }
  for (const auto& [numa, gpus] : far) {
    found.push_back(
        at(gpus.front()->origins, "nic-far-socket",
           fmt::format("{}: {} of NUMA node {} {} no NIC {}", host.name,
                       gpus.size() == 1 ? "the GPU" : fmt::format("{} GPUs", gpus.size()), numa,
                       gpus.size() == 1 ? "has" : "have",
                       sockets_known ? "on the same socket"
                                     : "there; which nodes share a socket isn't said")));
  }
}

/// Nodes in the reverse order of their CPUs, in a file of masks: who runs a machine numbers both
/// from the socket that it starts on.
void check_mask_order(const Host& host, std::vector<Warning>& found) {
  std::vector<const NumaNode*> nodes;
  for (const auto& node : host.numa) {
    if (!node.cpus.empty()) nodes.push_back(&node);
  }
  const auto first = [](const NumaNode* node) { return node->cpus.to_vector().front(); };
  const bool backwards = nodes.size() > 1 &&
                         std::ranges::is_sorted(nodes, std::greater<>(), first) &&
                         first(nodes.front()) != first(nodes.back());
  const auto by_file = [](const Gpu& gpu) {
    return std::ranges::all_of(gpu.origins, [](const Origin& o) { return o.source == "nccl-xml"; });
  };
  if (!backwards || host.gpus.empty() || !std::ranges::all_of(host.gpus, by_file)) return;
  found.push_back(at(
      host.gpus.front().origins, "numa-backwards",
      fmt::format("{}: NUMA node {} has CPUs {}, node {} has {}", host.name, nodes.front()->id,
                  nodes.front()->cpus.to_list(), nodes.back()->id, nodes.back()->cpus.to_list())));
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

/// Sources that name the switches up to the top. Labels, clouds and measurements know the leaves,
/// or some levels, and say nothing of what is above.
bool tells_the_whole_tree(const Topology& topology) {
  constexpr std::array<std::string_view, 6> kWhole{"slurm",           "ibnetdiscover", "topograph",
                                                   "topolaunch-json", "synthetic",     "tree"};
  if (topology.survey.empty()) return true;
  return std::ranges::any_of(topology.survey, [&](const SurveyEntry& entry) {
    const std::string_view kind = std::string_view(entry.source).substr(0, entry.source.find(' '));
    return std::ranges::find(kWhole, kind) != kWhole.end();
  });
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
  if (roots.size() > 1 && tells_the_whole_tree(topology)) {
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
    check_mask_order(host, found);
    check_nic_places(host, found);
    check_nic_rates(host, found);
  }
  check_fabric(topology, found);
  return found;
}

}  // namespace topolaunch::topo
