// SPDX-License-Identifier: Apache-2.0
//
// A parsed "synthetic:" spec -> facts. PCI addresses are made up: a switch has sixteen buses, its
// own and those of the devices below it.
#include "topo/synthetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "topo/link_speed.h"

namespace topolaunch::topo {
namespace {

using Links = ServerModel::Links;

const Origin kOrigin{"synthetic", "", 0};

/// DGX-1V's hybrid cube mesh, GPUs in PCI order, as nvidia-smi shows it: links of each pair.
constexpr std::array<std::array<int, 3>, 16> kCubeMesh{{{0, 1, 1},
                                                        {0, 2, 1},
                                                        {0, 3, 2},
                                                        {0, 4, 2},
                                                        {1, 2, 2},
                                                        {1, 3, 1},
                                                        {1, 5, 2},
                                                        {2, 3, 2},
                                                        {2, 6, 1},
                                                        {3, 7, 1},
                                                        {4, 5, 1},
                                                        {4, 6, 1},
                                                        {4, 7, 2},
                                                        {5, 6, 2},
                                                        {5, 7, 1},
                                                        {6, 7, 2}}};

/// One host, as facts about `name` (empty: about every host).
class Machine {
 public:
  Machine(const SyntheticSpec& spec, std::string name, std::vector<Fact>& facts)
      : spec_(spec), name_(std::move(name)), facts_(facts) {}

  void describe(int domain) {
    cpus();
    const int per_switch = spec_.model == nullptr ? 1 : std::max(1, spec_.model->gpus_per_switch);
    switches_ = spec_.gpus > 0 ? (spec_.gpus + per_switch - 1) / per_switch
                               : std::max(1, std::min(spec_.nics, spec_.numa));
    for (int i = 0; i < spec_.gpus; ++i) gpu(i, i / per_switch, domain);
    for (int i = 0; i < spec_.gpus; ++i) links(i);
    for (int i = 0; i < spec_.nics; ++i) nic(i, i * switches_ / spec_.nics);
  }

 private:
  void add(auto fact) { facts_.push_back({kOrigin, name_, std::move(fact)}); }

  /// CPUs numbered as Linux does: one thread of every core first, then the second ones.
  CpuSet cpus_of_cores(int first, int last) const {
    CpuSet set;
    for (int t = 0; t < spec_.threads; ++t) {
      set.add_range(t * spec_.cores + first, t * spec_.cores + last);
    }
    return set;
  }
  int first_core(int node) const {
    return static_cast<int>(static_cast<long>(spec_.cores) * node / spec_.numa);
  }

  void cpus() {
    HostFact host;
    const bool grace = spec_.model != nullptr && spec_.model->grace;
    host.arch = grace ? "aarch64" : "x86_64";
    host.packages = spec_.sockets;
    host.cpus = cpus_of_cores(0, spec_.cores - 1);
    host.allowed_cpus = host.cpus;
    if (spec_.threads > 1 && spec_.hosts <= 4096) {
      for (int c = 0; c < spec_.cores; ++c) host.smt.push_back(cpus_of_cores(c, c).to_vector());
    }
    add(std::move(host));
    for (int n = 0; n < spec_.numa; ++n) {
      NumaNode node;
      node.id = n;
      node.cpus = cpus_of_cores(first_core(n), first_core(n + 1) - 1);
      node.package = n * spec_.sockets / spec_.numa;
      add(NumaFact{std::move(node)});
    }
    if (!grace) return;
    for (int i = 0; i < spec_.gpus; ++i) {  // the GPUs' memory, as nodes without CPUs
      NumaNode node;
      node.id = memory_node(i);
      node.memory = Bytes::mib(spec_.model->memory_mib);
      add(NumaFact{std::move(node)});
    }
  }

  /// The driver keeps eight nodes for each GPU (MIG instances may have their own): 2, 10, 18, 26.
  int memory_node(int gpu) const { return spec_.numa + 8 * gpu; }

  int numa_of_switch(int box) const { return box * spec_.numa / switches_; }

  static PciAddress bridge(int box) {
    PciAddress pci;
    pci.domain = static_cast<std::uint32_t>(box / 15);
    pci.bus = static_cast<std::uint8_t>((box % 15 + 1) * 16);
    return pci;
  }
  PciAddress below(int box) {
    if (static_cast<int>(used_.size()) <= box) used_.resize(static_cast<std::size_t>(box) + 1, 0);
    const int k = used_[static_cast<std::size_t>(box)]++;
    PciAddress pci = bridge(box);
    pci.bus = static_cast<std::uint8_t>(pci.bus + 1 + k % 15);
    pci.device = static_cast<std::uint8_t>(k / 15);
    return pci;
  }

  void gpu(int i, int box, int domain) {
    GpuFact fact;
    fact.index = i;
    fact.model = product();
    fact.pci = below(box);
    fact.memory = Bytes::mib(spec_.model->memory_mib);
    fact.compute_capability = spec_.model->capability;
    fact.numa = numa_of_switch(box);
    fact.pcie_generation = fact.pcie_generation_max = spec_.model->pcie_generation;
    fact.pcie_width = fact.pcie_width_max = 16;
    fact.pcie_path = {bridge(box)};
    if (spec_.model->grace) fact.memory_numa = memory_node(i);
    if (domain >= 0) {
      fact.fabric_cluster = fmt::format("00000000-0000-0000-0000-{:012x}", domain + 1);
      fact.fabric_clique = 1;
    }
    add(std::move(fact));
  }

  std::string product() const {
    // The PCIe boards of models that are SXM modules otherwise.
    if (spec_.model->links != Links::none && spec_.links == Links::none) {
      std::string word(spec_.model->word);
      for (char& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      return "NVIDIA " + word + " PCIe";
    }
    return std::string(spec_.model->product);
  }

  void links(int i) {
    const auto per_link = nvlink_per_link(spec_.model->capability);
    const auto link = [&](GpuLink::To to, int peer, LinkType type, int count, Bandwidth rate) {
      GpuLinkFact fact;
      fact.from.index = i;
      fact.to = to;
      if (to == GpuLink::To::gpu) fact.peer.index = peer;
      fact.type = type;
      fact.count = count;
      fact.bandwidth = rate;
      add(std::move(fact));
    };
    if (spec_.links == Links::nvswitch && (spec_.gpus > 1 || spec_.domain_gpus > 0)) {
      const int count = nvlink_most_links(spec_.model->capability);
      if (count > 0) {
        link(GpuLink::To::nvswitch, -1, LinkType::nvlink, count, per_link * count);
      }
    } else if (spec_.links == Links::mesh) {
      for (const auto& [a, b, count] : kCubeMesh) {
        if ((a == i || b == i) && a < spec_.gpus && b < spec_.gpus) {
          link(GpuLink::To::gpu, a == i ? b : a, LinkType::nvlink, count, per_link * count);
        }
      }
    }
    if (spec_.model->grace) link(GpuLink::To::cpu, -1, LinkType::c2c, 1, nvlink_c2c());
  }

  void nic(int i, int box) {
    NicFact fact;
    fact.nic.pci = below(box);
    // systemd's names for EFA adapters: bus and slot.
    fact.nic.name = spec_.efa ? fmt::format("rdmap{}s{}",
                                            (fact.nic.pci->domain << 8) + fact.nic.pci->bus,
                                            static_cast<int>(fact.nic.pci->device))
                              : fmt::format("mlx5_{}", i);
    fact.nic.numa = numa_of_switch(box);
    fact.nic.rate = spec_.nic_rate;
    fact.nic.layer = spec_.efa ? Nic::Layer::efa : Nic::Layer::infiniband;
    fact.nic.rdma = true;
    fact.nic.pcie_path = {bridge(box)};
    add(std::move(fact));
  }

  const SyntheticSpec& spec_;
  std::string name_;
  std::vector<Fact>& facts_;
  int switches_ = 1;
  std::vector<int> used_;  ///< devices below each switch so far
};

/// Switches level by level until one is left: all hosts below it.
void network(const SyntheticSpec& spec, std::vector<Fact>& facts) {
  constexpr std::array<std::string_view, 3> names{"leaf", "spine", "core"};
  const Bandwidth host_rate = spec.nic_rate * spec.nics;
  int children = spec.hosts;
  Bandwidth below = host_rate;  // of one child
  for (std::size_t level = 0; children > 1 || level == 0; ++level) {
    const int fan_in = level < spec.fan_in.size() ? spec.fan_in[level] : children;
    const int boxes = (children + fan_in - 1) / fan_in;
    const double ratio =
        level < spec.oversubscription.size() ? spec.oversubscription[level] : 1.0;
    const Bandwidth uplink =
        Bandwidth::bytes_per_second(below.bytes_per_second() * fan_in / ratio);
    const auto name_at = [&names](std::size_t l) {
      return l < names.size() ? std::string(names[l]) : fmt::format("level{}-", l);
    };
    const int parent_fan_in =
        level + 1 < spec.fan_in.size() ? spec.fan_in[level + 1] : boxes;
    for (int b = 0; b < boxes; ++b) {
      SwitchFact box;
      box.name = name_at(level) + std::to_string(b);
      box.level = static_cast<int>(level);
      if (boxes > 1) {
        box.parent = name_at(level + 1) + std::to_string(b / parent_fan_in);
        box.uplink = uplink;
      }
      if (level == 0) {
        for (int h = b * fan_in; h < std::min(spec.hosts, (b + 1) * fan_in); ++h) {
          box.hosts.push_back("host" + std::to_string(h));
        }
      }
      facts.push_back({kOrigin, {}, std::move(box)});
    }
    children = boxes;
    below = uplink;
  }
}

}  // namespace

std::vector<Fact> synthetic_facts(const SyntheticSpec& spec) {
  std::vector<Fact> facts;
  const int domain_hosts = spec.domain_gpus > 0 && spec.gpus > 0 ? spec.domain_gpus / spec.gpus : 0;
  if (domain_hosts > 0) {  // hosts differ in their NVLink domain
    for (int h = 0; h < spec.hosts; ++h) {
      Machine(spec, "host" + std::to_string(h), facts).describe(h / domain_hosts);
    }
  } else {
    Machine(spec, {}, facts).describe(-1);  // one description for all hosts
  }
  if (spec.hosts > 1 || !spec.fan_in.empty()) network(spec, facts);
  return facts;
}

}  // namespace topolaunch::topo
