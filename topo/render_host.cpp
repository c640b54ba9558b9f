// SPDX-License-Identifier: Apache-2.0
//
// One host of the `topo` verb's tree:
//
//   numa 0   CPUs 0-55,112-167   1 TiB
//     gpu0  H100 80GB HBM3   79.6 GiB  0000:11:00.0  PCIe 5 x16   63 GB/s
//     nic   mlx5_0           400 Gb/s  0000:12:00.0  InfiniBand   PIX gpu0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "topo/link_speed.h"
#include "topo/render.h"
#include "topo/topology_words.h"

namespace topolaunch::topo {
namespace {

constexpr std::size_t kWidth = 80;

std::string cut(std::string text, std::size_t width) {
  if (text.size() <= width) return text;
  return text.substr(0, width > 2 ? width - 2 : 0) + "..";
}

/// One GPU or NIC as cells.
struct Row {
  std::string label, name, size, pci, link, last;
};

std::string gpu_numbers(const std::vector<int>& gpus) {
  CpuSet set;
  for (const int gpu : gpus) set.add(gpu);
  return "gpu" + set.to_list();
}

/// "PIX gpu0-1": the GPUs that a NIC is nearest to.
std::string nearest_gpus(const Host& host, const Nic& nic) {
  PciRelation best = PciRelation::unknown;
  std::vector<int> gpus;
  for (const Gpu& gpu : host.gpus) {
    const PciRelation relation = host.relation(gpu, nic);
    if (relation < best) {
      best = relation;
      gpus.clear();
    }
    if (relation == best) gpus.push_back(gpu.index);
  }
  if (best == PciRelation::unknown || gpus.empty()) return {};
  return fmt::format("{} {}", word(best), gpu_numbers(gpus));
}

std::string short_model(const Gpu& gpu) {
  std::string_view model = gpu.model;
  if (model.starts_with("NVIDIA ")) model.remove_prefix(7);
  if (!model.empty()) return std::string(model);
  if (gpu.compute_capability > 0) {
    return fmt::format("sm_{}", gpu.compute_capability);
  }
  return "(model unknown)";
}

Row gpu_row(const Gpu& gpu) {
  Row row;
  row.label = fmt::format("gpu{}", gpu.index);
  row.name = short_model(gpu);
  if (gpu.memory.count() > 0) row.size = to_text(gpu.memory);
  row.pci = gpu.pci ? gpu.pci->text() : "PCI unknown";
  if (gpu.pcie_generation > 0 && gpu.pcie_width > 0) {
    row.link = fmt::format("PCIe {} x{}", gpu.pcie_generation, gpu.pcie_width);
    row.last = to_text(pcie(gpu.pcie_generation, gpu.pcie_width));
    const bool slower = gpu.pcie_width < gpu.pcie_width_max;
    if (slower) row.last += fmt::format(" of x{}", gpu.pcie_width_max);
  }
  return row;
}

std::string layer_text(const Nic& nic) {
  if (!nic.up) return "DOWN";
  switch (nic.layer) {
    case Nic::Layer::infiniband: return "InfiniBand";
    case Nic::Layer::ethernet: return nic.rdma ? "RoCE" : "Ethernet";
    case Nic::Layer::efa: return "EFA";
    case Nic::Layer::unknown: break;
  }
  return nic.rdma ? "RDMA" : "";
}

/// Rows of NICs; three or more that differ in name and address alone are one row.
std::vector<Row> nic_rows(const Host& host, const std::vector<const Nic*>& nics) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < nics.size();) {
    const auto same = [&](const Nic& other) {
      return other.rate == nics[i]->rate && layer_text(other) == layer_text(*nics[i]) &&
             nearest_gpus(host, other) == nearest_gpus(host, *nics[i]);
    };
    std::size_t end = i + 1;
    while (end < nics.size() && same(*nics[end])) ++end;
    if (end - i < 3) end = i + 1;
    Row row;
    row.label = end - i == 1 ? "nic" : fmt::format("{} nic", end - i);
    row.name = nics[i]->name;
    if (end - i > 1) row.name += " .. " + nics[end - 1]->name;
    if (nics[i]->rate.known()) row.size = bits_text(nics[i]->rate);
    row.pci = nics[i]->pci ? nics[i]->pci->text() : "PCI unknown";
    if (row.name == row.pci) row.name = "(name unknown)";
    row.link = layer_text(*nics[i]);
    row.last = nearest_gpus(host, *nics[i]);
    rows.push_back(std::move(row));
    i = end;
  }
  return rows;
}

/// Column widths over the whole host, so that the blocks stand below each other.
struct Columns {
  std::size_t label = 4, name = 8, size = 0, pci = 0, link = 0;
  void widen(const Row& row) {
    label = std::max(label, row.label.size());
    name = std::max(name, row.name.size());
    size = std::max(size, row.size.size());
    pci = std::max(pci, row.pci.size());
    link = std::max(link, row.link.size());
    last_ = std::max(last_, row.last.size());
  }
  void fit() {
    const std::size_t others = 4 + label + size + pci + link + last_ + 10;
    name = std::min(name, others + 12 < kWidth ? kWidth - others : std::size_t{12});
  }
  std::string text(const Row& row) const {
    std::string line = fmt::format("    {:<{}}  {:<{}}  {:>{}}  {:<{}}  {:<{}}  {}", row.label,
                                   label, cut(row.name, name), name, row.size, size, row.pci, pci,
                                   row.link, link, row.last);
    line.erase(line.find_last_not_of(' ') + 1);
    return cut(std::move(line), kWidth) + "\n";
  }

 private:
  std::size_t last_ = 0;
};

std::string mig_text(const Gpu& gpu) {
  std::map<std::string, int> profiles;
  for (const auto& instance : gpu.mig) ++profiles[instance.profile];
  std::string text;
  for (const auto& [profile, count] : profiles) {
    text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", count,
                        profile.empty() ? "?" : profile);
  }
  return text.empty() ? "on, no instance" : text;
}

/// Lines about a GPU that don't fit into its row.
std::string gpu_extras(const Gpu& gpu) {
  std::string text;
  if (gpu.mig_enabled || !gpu.mig.empty()) {
    text += wrapped("MIG: " + mig_text(gpu), 10, 10);
  }
  if (gpu.memory_numa) text += fmt::format("{:10}memory is NUMA node {}\n", "", *gpu.memory_numa);
  return text;
}

std::string counted(long n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

/// "0-86:2" for CPUs that are dealt out in turn (kernels read that form too), else the usual list.
std::string cpu_text(const CpuSet& set) {
  const auto cpus = set.to_vector();
  if (cpus.size() < 4) return set.to_list();
  const int step = cpus[1] - cpus[0];
  for (std::size_t i = 2; i < cpus.size(); ++i) {
    if (cpus[i] - cpus[i - 1] != step) return set.to_list();
  }
  return step == 1 ? set.to_list() : fmt::format("{}-{}:{}", cpus.front(), cpus.back(), step);
}

std::string summary_line(const Host& host) {
  std::vector<std::string> parts;
  if (!host.arch.empty()) parts.push_back(host.arch);
  if (!host.cpu_vendor.empty()) parts.push_back(host.cpu_vendor);
  if (host.packages > 0) parts.push_back(counted(host.packages, "socket", "sockets"));
  const auto cores = static_cast<long>(host.smt.size());
  if (cores > 0 && cores != host.cpus.size()) parts.push_back(counted(cores, "core", "cores"));
  if (!host.cpus.empty()) {
    parts.push_back(counted(host.cpus.size(), "CPU", "CPUs"));
  } else {
    parts.emplace_back("CPUs unknown");
  }
  if (host.slots > 0) parts.push_back(counted(host.slots, "slot", "slots"));
  if (host.memory.count() > 0) parts.push_back(to_text(host.memory));
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : ", ") + part;
  text = wrapped(text, 2, 2);
  if (host.allowed_cpus != host.cpus) {
    text += wrapped(fmt::format("allowed: CPUs {}", cut(cpu_text(host.allowed_cpus), 60)), 2, 2);
  }
  if (host.cpu_quota) text += fmt::format("  CPU quota: {:.4g} CPUs' worth of time\n", *host.cpu_quota);
  return text;
}

std::string numa_line(const Host& host, std::optional<int> id) {
  if (!id) return "  NUMA node unknown\n";
  const NumaNode* node = host.numa_node(*id);
  if (node == nullptr) return fmt::format("  numa {}   CPUs unknown\n", *id);
  std::string tail;
  if (node->memory.count() > 0) tail += "   " + to_text(node->memory);
  if (!node->cpus.empty() && !host.allowed_cpus.includes(node->cpus)) {
    const int allowed = (node->cpus & host.allowed_cpus).size();
    tail += allowed == 0 ? "   none allowed" : fmt::format("   {} allowed", allowed);
  }
  const std::string head = fmt::format("  numa {}   ", *id);
  if (node->cpus.empty() && host.cpus.empty()) return head + "CPUs unknown" + tail + "\n";
  const std::string cpus =
      node->cpus.empty() ? "no CPUs" : fmt::format("CPUs {}", cpu_text(node->cpus));
  return head + cut(cpus, kWidth - head.size() - tail.size()) + tail + "\n";
}

std::string blocks(const Host& host) {
  std::set<int> gpu_memory;
  for (const Gpu& gpu : host.gpus) {
    if (gpu.memory_numa) gpu_memory.insert(*gpu.memory_numa);
  }
  struct Block {
    std::vector<const Gpu*> gpus;
    std::vector<const Nic*> nics;
  };
  std::map<int, Block> by_node;
  Block nowhere;
  int memory_only = 0;
  for (const NumaNode& node : host.numa) {
    if (!node.cpus.empty() || host.cpus.empty()) by_node[node.id];
    if (node.cpus.empty() && !gpu_memory.contains(node.id)) ++memory_only;
  }
  for (const Gpu& gpu : host.gpus) {
    (gpu.numa ? by_node[*gpu.numa] : nowhere).gpus.push_back(&gpu);
  }
  for (const Nic& nic : host.nics) {
    (nic.numa ? by_node[*nic.numa] : nowhere).nics.push_back(&nic);
  }
  Columns columns;
  for (const Gpu& gpu : host.gpus) columns.widen(gpu_row(gpu));
  const auto widen_nics = [&](const Block& block) {
    for (const auto& row : nic_rows(host, block.nics)) columns.widen(row);
  };
  for (const auto& [id, block] : by_node) widen_nics(block);
  widen_nics(nowhere);
  columns.fit();
  std::string text;
  const auto rows = [&](const Block& block) {
    for (const Gpu* gpu : block.gpus) text += columns.text(gpu_row(*gpu)) + gpu_extras(*gpu);
    for (const auto& row : nic_rows(host, block.nics)) text += columns.text(row);
  };
  for (const auto& [id, block] : by_node) {
    text += numa_line(host, id);
    rows(block);
  }
  if (memory_only > 0) {
    for (const NumaNode& node : host.numa) {
      const bool shown = by_node.contains(node.id) || gpu_memory.contains(node.id);
      if (node.cpus.empty() && !shown && node.memory.count() > 0) text += numa_line(host, node.id);
    }
  }
  if (!nowhere.gpus.empty() || !nowhere.nics.empty()) {
    text += numa_line(host, {});
    rows(nowhere);
  }
  return text;
}

// ---- links of the GPUs

struct Pair {
  int count = 0;  ///< links, 0 = none
  LinkType type = LinkType::nvlink;
  Bandwidth rate;
  bool switched = false;
};

const GpuLink* link_to(const Gpu& gpu, GpuLink::To to, int peer) {
  for (const auto& link : gpu.links) {
    if (link.to == to && link.peer == peer && link.count > 0) return &link;
  }
  return nullptr;
}

Pair pair_of(const Gpu& a, const Gpu& b) {
  const auto* direct = link_to(a, GpuLink::To::gpu, b.index);
  if (direct == nullptr) direct = link_to(b, GpuLink::To::gpu, a.index);
  if (direct != nullptr) return {direct->count, direct->type, direct->bandwidth, false};
  const auto* up = link_to(a, GpuLink::To::nvswitch, -1);
  const auto* down = link_to(b, GpuLink::To::nvswitch, -1);
  if (up == nullptr || down == nullptr) return {};
  const auto* narrow = up->count <= down->count ? up : down;
  return {narrow->count, narrow->type, narrow->bandwidth, true};
}

std::string cell(const Host& host, const Gpu& a, const Gpu& b) {
  if (a.index == b.index) return "X";
  const Pair pair = pair_of(a, b);
  if (pair.count > 0) {
    return fmt::format("{}{}", pair.type == LinkType::xgmi ? "XG" : "NV", pair.count);
  }
  return std::string(word(host.relation(a, b)));
}

std::string_view meaning(std::string_view name) {
  if (name == "PIX") return "one PCIe switch";
  if (name == "PXB") return "several PCIe switches";
  if (name == "PHB") return "one PCIe host bridge";
  if (name == "NODE") return "one NUMA node";
  if (name == "SYS") return "between NUMA nodes";
  return "unknown";
}

std::string legend(const Host& host, const std::set<std::string>& words) {
  std::map<std::string, std::string> said;
  for (const Gpu& a : host.gpus) {
    for (const Gpu& b : host.gpus) {
      const Pair pair = pair_of(a, b);
      if (a.index == b.index || pair.count == 0) continue;
      const std::string name = cell(host, a, b);
      if (said.contains(name)) continue;
      std::string text = fmt::format("{} {}{}", pair.count,
                                     pair.type == LinkType::xgmi ? "xGMI" : "NVLink",
                                     pair.count == 1 ? "" : "s");
      if (pair.rate.known()) text += ", " + to_text(pair.rate);
      if (pair.switched) text += " through NVSwitch";
      said[name] = text;
    }
  }
  std::string text;
  for (const auto& name : words) {
    if (name == "X") continue;
    const auto link = said.find(name);
    text += fmt::format("{}{} = {}", text.empty() ? "" : "; ", name,
                        link == said.end() ? std::string(meaning(name)) : link->second);
  }
  return text;
}

std::string matrix(const Host& host) {
  if (host.gpus.size() > 64) return "  GPU links: too many GPUs for a matrix\n";
  std::set<std::string> words;
  for (const Gpu& a : host.gpus) {
    for (const Gpu& b : host.gpus) {
      if (a.index != b.index) words.insert(cell(host, a, b));
    }
  }
  const std::string explained = legend(host, words);
  if (words.size() == 1) {
    return wrapped(fmt::format("GPU links, every pair: {}", explained), 4, 2);
  }
  constexpr std::size_t kColumn = 6;
  constexpr std::size_t kPerLine = (kWidth - 8) / kColumn;
  std::string text = "  GPU links\n";
  for (std::size_t first = 0; first < host.gpus.size(); first += kPerLine) {
    const std::size_t end = std::min(host.gpus.size(), first + kPerLine);
    std::string head(8, ' ');
    for (std::size_t b = first; b < end; ++b) head += fmt::format("{:>6}", fmt::format("gpu{}", b));
    text += head + "\n";
    for (const Gpu& a : host.gpus) {
      text += fmt::format("    {:<5}", fmt::format("gpu{}", a.index)).substr(0, 9);
      std::string cells;
      for (std::size_t b = first; b < end; ++b) {
        cells += fmt::format("{:>6}", cell(host, a, host.gpus[b]));
      }
      text += cells.substr(1) + "\n";
    }
  }
  return text + wrapped(explained, 4, 4);
}

/// C2C, NVLink domain, links that are down: one line for all GPUs that are alike.
std::string link_notes(const Host& host) {
  std::map<std::string, std::vector<int>> notes;
  for (const Gpu& gpu : host.gpus) {
    for (const auto& link : gpu.links) {
      if (link.type == LinkType::c2c && link.count > 0) {
        notes[link.bandwidth.known()
                  ? fmt::format("NVLink-C2C to the CPU, {}", to_text(link.bandwidth))
                  : std::string("NVLink-C2C to the CPU")]
            .push_back(gpu.index);
      }
      if (link.to == GpuLink::To::unknown && link.count > 0) {
        notes[fmt::format("{} links whose other end is unknown", link.count)].push_back(gpu.index);
      }
      if (link.inactive > 0) {
        notes[fmt::format("{} links DOWN", link.inactive)].push_back(gpu.index);
      }
    }
    if (gpu.fabric_pending) notes["NVLink domain not known yet"].push_back(gpu.index);
    if (!gpu.fabric_cluster.empty()) {
      notes[fmt::format("NVLink domain {} clique {}", gpu.fabric_cluster, gpu.fabric_clique)]
          .push_back(gpu.index);
    }
  }
  std::string text;
  for (const auto& [note, gpus] : notes) {
    text += wrapped(fmt::format("{}: {}", gpu_numbers(gpus), note), 4, 2);
  }
  return text;
}

}  // namespace

std::string bits_text(Bandwidth rate) {
  const double gigabits = rate.gigabytes_per_second() * 8;
  if (gigabits >= 1) return fmt::format("{:.4g} Gb/s", gigabits);
  return fmt::format("{:.4g} Mb/s", gigabits * 1000);
}

std::string render_host(const Host& host) {
  std::string text = summary_line(host) + blocks(host);
  if (host.gpus.size() > 1) text += matrix(host);
  return text + link_notes(host);
}

}  // namespace topolaunch::topo
