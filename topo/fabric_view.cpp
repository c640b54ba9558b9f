// SPDX-License-Identifier: Apache-2.0
#include "topo/fabric_view.h"

#include <fmt/format.h>

#include <cctype>

#include "base/counted.h"
#include "topo/host_words.h"

namespace topolaunch::topo {

FabricView::FabricView(const Topology& topology) : topology_(topology) {
  const Fabric& fabric = topology.fabric;
  children_.resize(fabric.switches.size());
  hosts_.resize(fabric.switches.size());
  for (std::size_t i = 0; i < fabric.switches.size(); ++i) {
    const int parent = fabric.switches[i].parent;
    (parent < 0 ? roots_ : children_[static_cast<std::size_t>(parent)]).push_back(i);
  }
  for (std::size_t i = 0; i < topology.hosts.size(); ++i) {
    const int leaf = i < fabric.leaf_of_host.size() ? fabric.leaf_of_host[i] : -1;
    (leaf < 0 ? unplaced_ : hosts_[static_cast<std::size_t>(leaf)]).push_back(i);
  }
}

std::vector<std::size_t> FabricView::hosts_below(std::size_t box) const {
  std::vector<std::size_t> out, open{box};
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    out.insert(out.end(), hosts_[at].begin(), hosts_[at].end());
    open.insert(open.end(), children_[at].rbegin(), children_[at].rend());
  }
  return out;
}

Bandwidth FabricView::host_rate(std::size_t host) const {
  double rate = 0;
  for (const Nic& nic : topology_.hosts[host].nics) {
    if (nic.up) rate += nic.rate.bytes_per_second();
  }
  return rate > 0 ? Bandwidth::bytes_per_second(rate) : topology_.fabric.host_rate;
}

Bandwidth FabricView::rate_below(std::size_t box) const {
  double sum = 0;
  for (const std::size_t host : hosts_[box]) sum += host_rate(host).bytes_per_second();
  for (const std::size_t child : children_[box]) {
    sum += topology_.fabric.switches[child].uplink.bytes_per_second();
  }
  return Bandwidth::bytes_per_second(sum);
}

std::string FabricView::oversubscription(std::size_t box) const {
  const Bandwidth uplink = topology_.fabric.switches[box].uplink;
  const Bandwidth below = rate_below(box);
  if (!uplink.known() || !below.known()) return {};
  return fmt::format("{:.3g}:1", below.bytes_per_second() / uplink.bytes_per_second());
}

std::string FabricView::level_name(int level) const {
  const auto& names = topology_.fabric.level_names;
  const auto at = static_cast<std::size_t>(level < 0 ? 0 : level);
  return at < names.size() ? names[at] : fmt::format("level{}", level);
}

std::string FabricView::counted_level(std::size_t n, int level) const {
  const std::string name = level_name(level);
  // "blocks", "blocks2", "level7": such a level has a name, its switches have none.
  const bool numbered = std::isdigit(static_cast<unsigned char>(name.back())) != 0;
  if (!numbered && plural_of(name) != name) return counted(n, name);
  return fmt::format("{} of {}{}", n, name.starts_with("level") ? "" : "level ", name);
}

}  // namespace topolaunch::topo
