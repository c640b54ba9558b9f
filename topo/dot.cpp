// SPDX-License-Identifier: Apache-2.0
#include "topo/dot.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "topo/draw/fabric_tree.h"
#include "topo/draw/group_style.h"
#include "topo/draw/pcie_tree.h"
#include "topo/fabric_view.h"
#include "topo/host_list.h"
#include "topo/host_words.h"

namespace topolaunch::topo {
namespace {

using draw::host_kind;
using draw::pcie_tree;
using draw::PcieGroup;
using draw::RankIndex;

/// A quoted string of DOT; "\n" breaks the line there.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      out += '?';
    else
      out += c;
  }
  return out + '"';
}

std::string filled(int group) {
  if (group < 0) return {};
  const auto colour = static_cast<std::size_t>(group % draw::kGroupColours);
  return fmt::format(" style=filled fillcolor=\"{}\"", draw::kLightTheme.groups[colour]);
}

std::string rank_words(const RankIndex* index, const std::vector<const draw::PlacedRank*>& here) {
  if (index == nullptr) return {};
  if (here.empty()) return "\nno rank";
  const std::string group = draw::group_list(index->ranks(), here);
  return "\n" + draw::rank_list(here) + (group.empty() ? "" : "\n" + group);
}

class HostGraph {
 public:
  HostGraph(const Host& host, const RankIndex* ranks) : host_(host), ranks_(ranks) {}

  std::string text() {
    std::map<int, std::pair<std::vector<const Gpu*>, std::vector<const Nic*>>> nodes;
    constexpr int kNowhere = -1;
    for (const Gpu& gpu : host_.gpus) nodes[gpu.numa.value_or(kNowhere)].first.push_back(&gpu);
    for (const Nic& nic : host_.nics) nodes[nic.numa.value_or(kNowhere)].second.push_back(&nic);
    for (const NumaNode& node : host_.numa) {
      if (!node.cpus.empty()) nodes[node.id];
    }
    for (const auto& [id, devices] : nodes) {
      open(id < 0 ? "NUMA node unknown" : numa_words(id));
      // An empty cluster is not drawn: the CPUs are its node.
      if (id >= 0) line(fmt::format("numa{} [label=\"CPUs\" shape=oval];", id));
      group(pcie_tree(devices.first, devices.second));
      close();
    }
    links();
    return out_;
  }

 private:
  void line(const std::string& words) { out_ += fmt::format("{:{}}{}\n", "", indent_, words); }
  void open(const std::string& label) {
    line(fmt::format("subgraph cluster_{} {{", clusters_++));
    indent_ += 2;
    line(fmt::format("label={};", quoted(label)));
  }
  void close() {
    indent_ -= 2;
    line("}");
  }

  std::string numa_words(int id) const {
    std::string text = fmt::format("NUMA {}", id);
    const NumaNode* const node = host_.numa_node(id);
    if (node != nullptr && !node->cpus.empty()) text += "\nCPUs " + cpu_text(node->cpus);
    if (node != nullptr && node->memory.count() > 0) text += "\n" + to_text(node->memory);
    return text;
  }

  void group(const PcieGroup& pcie) {
    for (const Gpu* gpu : pcie.gpus) {
      std::string label = fmt::format("GPU {}\n{}", gpu->index, short_model(*gpu));
      int of = -1;
      if (ranks_ != nullptr) {
        const auto here = ranks_->at(host_.name, gpu->index);
        label += rank_words(ranks_, here);
        if (!here.empty() && !ranks_->ranks().dimension.empty()) of = here.front()->group;
      }
      if (gpu->pci) label += "\n" + gpu->pci->text();
      line(fmt::format("gpu{} [label={}{}];", gpu->index, quoted(label), filled(of)));
    }
    for (const Nic* nic : pcie.nics) {
      std::string label = nic->name;
      if (nic->rate.known()) label += "\n" + bits_text(nic->rate);
      if (const std::string layer = layer_text(*nic); !layer.empty()) label += "\n" + layer;
      line(
          fmt::format("{} [label={} shape=component];", quoted("nic " + nic->name), quoted(label)));
    }
    for (const PcieGroup& below : pcie.groups) {
      open("PCIe " + (below.bridge ? below.bridge->text() : std::string()));
      group(below);
      close();
    }
  }

  void links() {
    bool box = false;
    for (const Gpu& gpu : host_.gpus) {
      if (const GpuLink* const up = link_to(gpu, GpuLink::To::nvswitch)) {
        if (!box) line("nvswitch [label=\"NVSwitch\" shape=box3d];");
        box = true;
        line(fmt::format("gpu{} -- nvswitch [label=\"NV{}\" penwidth=2];", gpu.index, up->count));
      }
      for (const Gpu& other : host_.gpus) {
        if (other.index <= gpu.index) continue;
        const GpuPair pair = pair_of(gpu, other);
        if (pair.count == 0 || pair.switched) continue;
        line(fmt::format("gpu{} -- gpu{} [label=\"{}{}\" penwidth={}];", gpu.index, other.index,
                         pair.type == LinkType::xgmi ? "XG" : "NV", pair.count,
                         1 + std::min(pair.count, 6)));
      }
    }
  }

  const Host& host_;
  const RankIndex* ranks_;
  std::string out_;
  std::size_t indent_ = 2;
  int clusters_ = 0;
};

class ClusterGraph {
 public:
  ClusterGraph(const Topology& topology, const RankIndex* ranks)
      : topology_(topology), view_(topology), ranks_(ranks) {}

  std::string text() {
    const draw::FabricTree tree = draw::fabric_tree(topology_);
    for (const auto& root : tree.roots) branch(root);
    for (const auto& entry : tree.unplaced) host(entry);
    return out_;
  }

 private:
  int host(const draw::HostEntry& entry) {
    const Host& first = topology_.hosts[entry.hosts.front()];
    std::vector<std::string> names;
    std::vector<const draw::PlacedRank*> here;
    for (const std::size_t one : entry.hosts) {
      names.push_back(topology_.hosts[one].name);
      if (ranks_ == nullptr) continue;
      const auto on = ranks_->on(names.back());
      here.insert(here.end(), on.begin(), on.end());
    }
    std::string label = entry.example ? "below each of them" : compress_host_list(names);
    if (names.size() > 1) label = counted(names.size(), "host", "hosts") + "\n" + label;
    if (entry.example) here.clear();
    label += "\n" + (entry.alike ? host_kind(first) : std::string("several kinds"));
    if (names.size() > 1 && entry.alike) label += " each";
    if (!entry.example) label += rank_words(ranks_, here);
    int of = -1;
    for (const auto* rank : here) of = of == -1 || of == rank->group ? rank->group : -2;
    if (ranks_ != nullptr && ranks_->ranks().dimension.empty()) of = -1;
    out_ += fmt::format("  n{} [label={} shape={}{}];\n", next_, quoted(label),
                        names.size() > 1 ? "box3d" : "box", filled(of));
    return next_++;
  }

  int branch(const draw::SwitchEntry& entry) {
    const Switch& first = topology_.fabric.switches[entry.switches.front()];
    std::string label = first.name;
    if (entry.switches.size() > 1) {
      std::vector<std::string> names;
      for (const std::size_t box : entry.switches) {
        names.push_back(topology_.fabric.switches[box].name);
      }
      label = view_.counted_level(names.size(), first.level) +
              (entry.alike ? " alike" : " of several kinds") + "\n" + compress_host_list(names);
    }
    const int at = next_++;
    out_ += fmt::format("  n{} [label={} shape=oval];\n", at, quoted(label));
    for (const auto& child : entry.below) {
      const Switch& below = topology_.fabric.switches[child.switches.front()];
      edge(at, branch(child), child.alike ? below.uplink : Bandwidth());
    }
    for (const auto& hosts : entry.hosts) {
      edge(at, host(hosts), entry.alike ? view_.host_rate(hosts.hosts.front()) : Bandwidth());
    }
    return at;
  }

  void edge(int from, int to, Bandwidth rate) {
    const std::string label = rate.known() ? fmt::format(" [label=\"{}\"]", bits_text(rate)) : "";
    out_ += fmt::format("  n{} -- n{}{};\n", from, to, label);
  }

  const Topology& topology_;
  FabricView view_;
  const RankIndex* ranks_;
  std::string out_;
  int next_ = 0;
};

}  // namespace

std::string to_dot(const Topology& topology, const draw::Ranks* ranks) {
  std::optional<RankIndex> index;
  if (ranks != nullptr && !ranks->empty()) index.emplace(*ranks);
  const RankIndex* const placed = index ? &*index : nullptr;
  std::string out =
      "graph topology {\n  node [shape=box fontname=\"sans-serif\" fontsize=11];\n"
      "  edge [fontname=\"sans-serif\" fontsize=10];\n"
      "  graph [fontname=\"sans-serif\" fontsize=11];\n";
  if (topology.hosts.size() == 1) {
    const Host& host = topology.hosts.front();
    out +=
        fmt::format("  label={} labelloc=t;\n", quoted(host.name)) + HostGraph(host, placed).text();
  } else {
    out += ClusterGraph(topology, placed).text();
  }
  return out + "}\n";
}

}  // namespace topolaunch::topo
