// SPDX-License-Identifier: Apache-2.0
#include "topo/slurm_tree_write.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <unordered_set>
#include <vector>

#include "topo/host_list.h"

namespace topolaunch::topo {
namespace {

/// Names that a host list can hold: "MF0;leaf-01:QM9700/U1" has three letters that split it.
std::vector<std::string> slurm_names(const std::vector<Switch>& switches) {
  std::vector<std::string> names;
  std::unordered_set<std::string> taken;
  for (const auto& box : switches) {
    std::string name;
    for (const char c : box.name) {
      const bool plain =
          std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-';
      name += plain ? c : '-';
    }
    if (name.empty()) name = "switch";
    std::string unique = name;
    for (int i = 2; !taken.insert(unique).second; ++i) unique = fmt::format("{}-{}", name, i);
    names.push_back(std::move(unique));
  }
  return names;
}

}  // namespace

std::string slurm_tree(const Topology& topology) {
  const Fabric& fabric = topology.fabric;
  const auto names = slurm_names(fabric.switches);
  const auto count = fabric.switches.size();
  std::vector<std::vector<std::string>> hosts(count), children(count);
  std::vector<std::string> unknown;
  for (std::size_t h = 0; h < topology.hosts.size(); ++h) {
    const int leaf = h < fabric.leaf_of_host.size() ? fabric.leaf_of_host[h] : -1;
    (leaf < 0 ? unknown : hosts[static_cast<std::size_t>(leaf)]).push_back(topology.hosts[h].name);
  }
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&fabric](std::size_t a, std::size_t b) {
    return fabric.switches[a].level < fabric.switches[b].level;
  });
  std::string text = "# topology.conf for topology/tree, written by topolaunch\n";
  for (const auto at : order) {
    const Switch& box = fabric.switches[at];
    if (!hosts[at].empty() && !children[at].empty()) {
      const std::string leaf = names[at] + "-hosts";
      text += fmt::format("SwitchName={} Nodes={}\n", leaf, compress_host_list(hosts[at]));
      children[at].push_back(leaf);
      hosts[at].clear();
    }
    if (!children[at].empty()) {
      text +=
          fmt::format("SwitchName={} Switches={}\n", names[at], compress_host_list(children[at]));
    } else if (!hosts[at].empty()) {
      text += fmt::format("SwitchName={} Nodes={}\n", names[at], compress_host_list(hosts[at]));
    } else {
      text += fmt::format("# {} has no hosts below it\n", names[at]);
      continue;
    }
    if (box.parent >= 0) children[static_cast<std::size_t>(box.parent)].push_back(names[at]);
  }
  if (fabric.empty()) {
    text += "# no source says where the hosts hang\n";
  } else if (!unknown.empty()) {
    text += fmt::format("# place unknown: {}\n", compress_host_list(unknown));
  }
  return text;
}

}  // namespace topolaunch::topo
