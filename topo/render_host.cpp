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

#include "topo/host_words.h"
#include "topo/link_speed.h"
#include "topo/render.h"
#include "topo/render_links.h"
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

/// "PIX gpu0-1": the GPUs that a NIC is nearest to.
std::string nearest_text(const Host& host, const Nic& nic) {
  const Nearest near = nearest_gpus(host, nic);
  if (near.relation == PciRelation::unknown || near.gpus.empty()) return {};
  return fmt::format("{} {}", word(near.relation), gpu_numbers(near.gpus));
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

/// Rows of NICs; three or more that differ in name and address alone are one row.
std::vector<Row> nic_rows(const Host& host, const std::vector<const Nic*>& nics) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < nics.size();) {
    const auto same = [&](const Nic& other) {
      return other.rate == nics[i]->rate && layer_text(other) == layer_text(*nics[i]) &&
             nearest_text(host, other) == nearest_text(host, *nics[i]);
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
    row.last = nearest_text(host, *nics[i]);
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

/// Lines about a GPU that don't fit into its row.
std::string gpu_extras(const Gpu& gpu) {
  std::string text;
  if (gpu.mig_enabled || !gpu.mig.empty()) {
    text += wrapped("MIG: " + mig_text(gpu), 10, 10);
  }
  if (gpu.memory_numa) text += fmt::format("{:10}memory is NUMA node {}\n", "", *gpu.memory_numa);
  return text;
}

std::string summary_line(const Host& host) {
  std::vector<std::string> parts;
  if (!host.arch.empty()) parts.push_back(host.arch);
  if (!host.cpu_vendor.empty()) parts.push_back(host.cpu_vendor);
  if (host.packages > 0) parts.push_back(counted(static_cast<std::size_t>(host.packages), "socket", "sockets"));
  const std::size_t cores = host.smt.size();
  if (cores > 0 && cores != static_cast<std::size_t>(host.cpus.size())) parts.push_back(counted(cores, "core", "cores"));
  if (!host.cpus.empty()) {
    parts.push_back(counted(static_cast<std::size_t>(host.cpus.size()), "CPU", "CPUs"));
  } else {
    parts.emplace_back("CPUs unknown");
  }
  if (host.slots > 0) parts.push_back(counted(static_cast<std::size_t>(host.slots), "slot", "slots"));
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

}  // namespace

std::string render_host(const Host& host) {
  std::string text = summary_line(host) + blocks(host);
  if (host.gpus.size() > 1) text += link_matrix(host);
  for (const std::string& note : link_notes(host)) text += wrapped(note, 4, 2);
  return text;
}

}  // namespace topolaunch::topo
