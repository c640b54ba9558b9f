// SPDX-License-Identifier: Apache-2.0
//
// Small machines as values, for the tests of mapping.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "mapping/index.h"
#include "topo/topology.h"

namespace topolaunch::mapping::testing {

inline topo::PciAddress pci(std::uint32_t domain, int bus) {
  return {domain, static_cast<std::uint8_t>(bus), 0, 0};
}

/// Two sockets of `cores` cores with two threads each, thread siblings c and c + all cores.
inline topo::Host two_sockets(const std::string& name, int cores, int sockets = 2) {
  topo::Host host;
  host.name = name;
  host.arch = "x86_64";
  host.cpu_vendor = "GenuineIntel";
  host.cpu_family = 6;
  host.cpu_model = 0x8F;
  host.packages = sockets;
  const int all = cores * sockets;
  host.cpus.add_range(0, 2 * all - 1);
  host.allowed_cpus = host.cpus;
  for (int s = 0; s < sockets; ++s) {
    topo::NumaNode node;
    node.id = s;
    node.package = s;
    node.cpus.add_range(s * cores, (s + 1) * cores - 1);
    node.cpus.add_range(all + s * cores, all + (s + 1) * cores - 1);
    host.numa.push_back(node);
    host.allowed_memory.add(s);
  }
  for (int c = 0; c < all; ++c) host.smt.push_back({c, all + c});
  return host;
}

/// Adds a GPU under its own PCIe switch unless `bridge` names one.
inline topo::Gpu& add_gpu(topo::Host& host, int numa, int capability, int bridge = -1) {
  topo::Gpu gpu;
  gpu.index = static_cast<int>(host.gpus.size());
  gpu.uuid = fmt::format("GPU-{:04}", gpu.index);
  gpu.pci = pci(0, 0x10 + 4 * gpu.index);
  gpu.compute_capability = capability;
  if (numa >= 0) gpu.numa = numa;
  gpu.pcie_generation = capability >= 90 ? 5 : capability >= 80 ? 4 : 3;
  gpu.pcie_width = 16;
  gpu.pcie_path = {pci(0, bridge >= 0 ? bridge : 0x80 + gpu.index)};
  host.gpus.push_back(gpu);
  return host.gpus.back();
}

inline void add_nic(topo::Host& host, int numa, double gigabits, int bridge) {
  topo::Nic nic;
  nic.name = fmt::format("mlx5_{}", host.nics.size());
  nic.pci = pci(0, 0x11 + 4 * static_cast<int>(host.nics.size()));
  if (numa >= 0) nic.numa = numa;
  nic.rate = Bandwidth::gigabits_per_second(gigabits);
  nic.rdma = true;
  nic.layer = topo::Nic::Layer::infiniband;
  if (bridge >= 0) nic.pcie_path = {pci(0, bridge)};
  host.nics.push_back(nic);
}

/// 8 GPUs behind NVSwitch, a NIC beside each.
inline topo::Host nvswitch_host(const std::string& name, int gpus = 8, int capability = 90) {
  auto host = two_sockets(name, 16);
  for (int g = 0; g < gpus; ++g) {
    auto& gpu = add_gpu(host, g < gpus / 2 ? 0 : 1, capability);
    gpu.links.push_back({topo::GpuLink::To::nvswitch, -1, topo::LinkType::nvlink, capability >= 90 ? 18 : 12, 0, {}});
    add_nic(host, g < gpus / 2 ? 0 : 1, 400, 0x80 + g);
  }
  return host;
}

/// DGX-1V: hybrid cube mesh.
inline topo::Host cube_mesh_host(const std::string& name) {
  auto host = two_sockets(name, 20);
  host.cpu_model = 0x4F;
  const int links[][3] = {{0, 1, 1}, {0, 2, 1}, {0, 3, 2}, {0, 4, 2}, {1, 2, 2}, {1, 3, 1}, {1, 5, 2}, {2, 3, 2},
                          {2, 6, 1}, {3, 7, 1}, {4, 5, 1}, {4, 6, 1}, {4, 7, 2}, {5, 6, 2}, {5, 7, 1}, {6, 7, 2}};
  for (int g = 0; g < 8; ++g) add_gpu(host, g / 4, 70, 0x80 + g / 2);
  for (const auto& [a, b, count] : links) {
    host.gpus[ix(a)].links.push_back({topo::GpuLink::To::gpu, b, topo::LinkType::nvlink, count, 0, {}});
    host.gpus[ix(b)].links.push_back({topo::GpuLink::To::gpu, a, topo::LinkType::nvlink, count, 0, {}});
  }
  for (int n = 0; n < 4; ++n) add_nic(host, n / 2, 100, 0x80 + n);
  return host;
}

/// A machine without GPUs.
inline topo::Host cpu_host(const std::string& name, int cores) {
  auto host = two_sockets(name, cores, 1);
  return host;
}

/// `leaves` leaf switches of `per_leaf` equal hosts under one spine; uplinks at `oversubscription` : 1.
inline topo::Topology leaf_spine(const topo::Host& host, int leaves, int per_leaf, double oversubscription) {
  topo::Topology topology;
  double rate = 0;
  for (const auto& nic : host.nics) rate += nic.rate.bytes_per_second();
  if (rate == 0) topology.fabric.host_rate = Bandwidth::gigabits_per_second(10), rate = 1.25e9;
  topology.fabric.level_names = {"leaf", "spine"};
  for (int l = 0; l < leaves; ++l)
    topology.fabric.switches.push_back(
        {fmt::format("leaf{}", l), leaves, 0, Bandwidth::bytes_per_second(rate * per_leaf / oversubscription)});
  topology.fabric.switches.push_back({"spine", -1, 1, {}});
  for (int h = 0; h < leaves * per_leaf; ++h) {
    topology.hosts.push_back(host);
    topology.hosts.back().name = fmt::format("host{}", h);
    topology.fabric.leaf_of_host.push_back(h / per_leaf);
  }
  return topology;
}

inline topo::Topology single(topo::Host host) {
  topo::Topology topology;
  topology.hosts.push_back(std::move(host));
  return topology;
}

/// arities innermost first: slots of a host, hosts of a leaf, leaves ... with the distances given.
inline topo::Topology tree(const std::vector<int>& arities, const std::vector<double>& distances) {
  topo::Topology topology;
  int hosts = 1;
  for (std::size_t i = 1; i < arities.size(); ++i) hosts *= arities[i];
  for (int h = 0; h < hosts; ++h) {
    topo::Host host;
    host.name = fmt::format("host{}", h);
    host.slots = arities[0];
    topology.hosts.push_back(host);
  }
  int below = hosts, first = 0;
  topology.fabric.distances = distances;
  for (std::size_t l = 1; l < arities.size(); ++l) {
    const int blocks = below / arities[l];
    topology.fabric.level_names.push_back(l == 1 ? "leaf" : fmt::format("level{}", l));
    const int base = static_cast<int>(topology.fabric.switches.size());
    for (int b = 0; b < blocks; ++b)
      topology.fabric.switches.push_back({fmt::format("s{}_{}", l, b), -1, static_cast<int>(l) - 1, {}});
    for (int c = 0; c < below; ++c) {
      if (l == 1) topology.fabric.leaf_of_host.push_back(base + c / arities[l]);
      else topology.fabric.switches[ix(first + c)].parent = base + c / arities[l];
    }
    first = base;
    below = blocks;
  }
  return topology;
}

}  // namespace topolaunch::mapping::testing
