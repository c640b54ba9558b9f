// SPDX-License-Identifier: Apache-2.0
#include "topo/draw/host_sheet.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "topo/draw/host_tiles.h"
#include "topo/draw/layout.h"
#include "topo/draw/links_panel.h"
#include "topo/draw/pcie_tree.h"
#include "topo/draw/text_width.h"
#include "topo/host_words.h"

namespace topolaunch::topo::draw {
namespace {

constexpr double kSheet = 1280, kMargin = 16;
constexpr double kFourTiles = 4 * kTile + 3 * kGap;

class HostSheet {
 public:
  HostSheet(const Host& host, const RankIndex* ranks) : host_(host), ranks_(ranks) {}

  Drawing drawn() const {
    std::vector<Drawing> parts{line_of_words(host_.name, kSheet, 18, true)};
    for (const std::string& line : broken(summary(), kSheet, 12)) {
      parts.push_back(line_of_words(line, kSheet, 12, false, true));
    }
    const Drawing nodes = flow(numa_blocks(), kSheet, 12);
    parts.push_back(nodes);
    parts.push_back(links_panel(host_, ranks_, std::max(nodes.width, 2 * kFourTiles)));
    Drawing out;
    out.place(stacked(parts, 10), kMargin, kMargin);
    if (ranks_ != nullptr) {
      legend(out, ranks_->ranks(), kMargin, out.height + 14, out.width - kMargin);
    }
    out.reach(out.width + kMargin, out.height + kMargin);
    out.title = title();
    out.description = description();
    return out;
  }

 private:
  std::string title() const {
    std::string text = host_.name;
    if (!host_.gpus.empty()) {
      text += fmt::format(": {} x {}", host_.gpus.size(), short_model(host_.gpus.front()));
    }
    return text;
  }

  std::string summary() const {
    std::vector<std::string> words;
    if (!host_.gpus.empty()) words.push_back(counted(host_.gpus.size(), "GPU", "GPUs"));
    if (!host_.nics.empty()) words.push_back(counted(host_.nics.size(), "NIC", "NICs"));
    if (host_.packages > 0) {
      words.push_back(counted(static_cast<std::size_t>(host_.packages), "socket", "sockets"));
    }
    if (!host_.cpus.empty()) {
      words.push_back(counted(static_cast<std::size_t>(host_.cpus.size()), "CPU", "CPUs"));
      if (host_.allowed_cpus != host_.cpus) {
        words.push_back(fmt::format("{} of them allowed", host_.allowed_cpus.size()));
      }
    }
    if (host_.memory.count() > 0) words.push_back(to_text(host_.memory));
    if (!host_.arch.empty()) words.push_back(host_.arch);
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
  }

  std::string description() const {
    std::string text = summary() + ".";
    for (const Gpu& gpu : host_.gpus) {
      text += fmt::format(" GPU {}: {}", gpu.index,
                          gpu.numa ? fmt::format("NUMA node {}", *gpu.numa) : "NUMA node unknown");
      if (ranks_ != nullptr) {
        const auto here = ranks_->at(host_.name, gpu.index);
        if (!here.empty()) text += ", " + rank_list(here);
        if (const auto group = group_list(ranks_->ranks(), here); !group.empty()) {
          text += ", " + group;
        }
      }
      text += ".";
    }
    return text;
  }

  struct Devices {
    std::vector<const Gpu*> gpus;
    std::vector<const Nic*> nics;
  };

  std::vector<Drawing> numa_blocks() const {
    std::map<int, Devices> nodes;
    Devices nowhere;
    std::map<int, int> memory_of;  // NUMA nodes that are a GPU's memory: that GPU
    for (const Gpu& gpu : host_.gpus) {
      if (gpu.memory_numa) memory_of[*gpu.memory_numa] = gpu.index;
      (gpu.numa ? nodes[*gpu.numa] : nowhere).gpus.push_back(&gpu);
    }
    for (const Nic& nic : host_.nics) (nic.numa ? nodes[*nic.numa] : nowhere).nics.push_back(&nic);
    for (const NumaNode& node : host_.numa) {
      if (!memory_of.contains(node.id)) nodes[node.id];
    }
    std::vector<Drawing> out;
    for (const auto& [id, devices] : nodes) out.push_back(numa_block(id, devices));
    if (!nowhere.gpus.empty() || !nowhere.nics.empty()) {
      out.push_back(framed(devices_block(nowhere), {"NUMA node unknown", {}}, Tone::lost,
                           "Devices whose NUMA node is unknown", kFourTiles, true));
    }
    const auto loose = rank_tiles(host_, ranks_);
    if (!loose.empty()) {
      out.push_back(framed(flow(loose, kFourTiles), {"Ranks without a GPU", {}}, Tone::host,
                           "Ranks without a GPU", kFourTiles));
    }
    return out;
  }

  Drawing numa_block(int id, const Devices& devices) const {
    const Drawing content = devices_block(devices);
    Heading heading{fmt::format("NUMA {}", id), {}};
    std::string name = fmt::format("NUMA node {}", id);
    if (const NumaNode* const node = host_.numa_node(id)) {
      if (node->package >= 0) heading.first += fmt::format(", socket {}", node->package);
      if (!node->cpus.empty()) {
        heading.others.push_back("CPUs " + cpu_text(node->cpus));
      } else if (!host_.cpus.empty()) {
        heading.others.emplace_back("no CPUs");
      }
      if (node->memory.count() > 0) heading.others.push_back(to_text(node->memory));
      for (const std::string& line : heading.others) name += ", " + line;
    }
    return framed(content, heading, Tone::numa, name, std::max(content.width, 150.0));
  }

  Drawing devices_block(const Devices& devices) const {
    return group_content(pcie_tree(devices.gpus, devices.nics));
  }

  Drawing group_content(const PcieGroup& group) const {
    std::vector<Drawing> gpus, switches;
    for (const Gpu* gpu : group.gpus) gpus.push_back(gpu_tile(host_, *gpu, ranks_));
    for (const PcieGroup& below : group.groups) {
      const std::string below_words = below.bridge ? below.bridge->text() : "";
      switches.push_back(framed(group_content(below), {"PCIe switch", {below_words}}, Tone::bus,
                                "PCIe switch " + below_words, kTile));
    }
    return stacked({flow(std::move(switches), kFourTiles + 5 * 20),
                    flow(std::move(gpus), kFourTiles), flow(nic_tiles(group.nics), kFourTiles)});
  }

  const Host& host_;
  const RankIndex* ranks_;
};

}  // namespace

Drawing host_sheet(const Host& host, const Ranks* ranks) {
  if (ranks == nullptr || ranks->empty()) return HostSheet(host, nullptr).drawn();
  const RankIndex index(*ranks);
  return HostSheet(host, &index).drawn();
}

}  // namespace topolaunch::topo::draw
