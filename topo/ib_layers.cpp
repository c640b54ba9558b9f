// SPDX-License-Identifier: Apache-2.0
#include "topo/ib_layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

#include "topo/ib_names.h"

namespace topolaunch::topo {
namespace {

std::size_t ix(int i) { return static_cast<std::size_t>(i); }

bool is_switch(const IbNode& node) { return node.kind == IbNode::Kind::fabric_switch; }
bool is_adapter(const IbNode& node) {
  return node.kind != IbNode::Kind::fabric_switch && node.kind != IbNode::Kind::router &&
         !node.aggregation;
}

/// "S-fc6a1c0300c10000" -> "fc6a1c0300c10000".
std::string guid_of(const IbNode& node) {
  return node.id.size() > 2 && node.id[1] == '-' ? node.id.substr(2) : node.id;
}

std::vector<std::string> switch_names(const IbGraph& graph) {
  std::vector<std::string> names(graph.nodes.size());
  std::map<std::string, int> used;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (!is_switch(graph.nodes[i])) continue;
    names[i] = ib_switch_name(graph.nodes[i].words);
    if (names[i].empty()) names[i] = "switch-" + guid_of(graph.nodes[i]);
    ++used[names[i]];
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!names[i].empty() && used[names[i]] > 1) names[i] += "-" + guid_of(graph.nodes[i]);
  }
  return names;
}

std::vector<IbHost> hosts_of(const IbGraph& graph) {
  std::vector<IbHost> hosts;
  std::unordered_map<std::string, std::size_t> by_name;
  std::vector<std::size_t> host_of(graph.nodes.size(), SIZE_MAX);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const IbNode& node = graph.nodes[i];
    if (!is_adapter(node)) continue;
    std::string name = ib_host_name(node.words);
    const bool named = !name.empty();
    // The ports of a card share its system image GUID.
    if (!named) {
      name = node.system.starts_with("0x") ? "ib-" + node.system.substr(2) : "ib-" + guid_of(node);
    }
    const auto [at, added] = by_name.try_emplace(name, hosts.size());
    if (added) {
      IbHost host;
      host.name = std::move(name);
      host.line = node.line;
      host.named = named;
      hosts.push_back(std::move(host));
    }
    host_of[i] = at->second;
  }
  std::vector<bool> silent(hosts.size(), false);
  for (const auto& link : graph.links) {
    for (const auto& [end, other] : {std::pair{link.a, link.b}, std::pair{link.b, link.a}}) {
      const auto host = host_of[ix(end)];
      if (host == SIZE_MAX || !is_switch(graph.nodes[ix(other)])) continue;
      hosts[host].leaves.push_back(other);
      if (!link.rate.known()) silent[host] = true;
      hosts[host].rate = Bandwidth::bytes_per_second(hosts[host].rate.bytes_per_second() +
                                                     link.rate.bytes_per_second());
    }
  }
  for (std::size_t h = 0; h < hosts.size(); ++h) {
    if (silent[h]) hosts[h].rate = {};
  }
  std::sort(hosts.begin(), hosts.end(), [](const IbHost& a, const IbHost& b) {
    return ::strverscmp(a.name.c_str(), b.name.c_str()) < 0;
  });
  return hosts;
}

/// Switches next to each switch, each once.
std::vector<std::vector<int>> neighbours(const IbGraph& graph) {
  std::vector<std::vector<int>> next(graph.nodes.size());
  for (const auto& link : graph.links) {
    if (link.a == link.b || !is_switch(graph.nodes[ix(link.a)]) ||
        !is_switch(graph.nodes[ix(link.b)])) {
      continue;
    }
    next[ix(link.a)].push_back(link.b);
    next[ix(link.b)].push_back(link.a);
  }
  for (auto& list : next) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return next;
}

/// A management host on a spine doesn't make it a leaf: it has fewer hosts than leaves next to it,
/// joins more leaves than any of these does, and far fewer hosts than they have.
bool only_joins(int box, const std::vector<int>& hosts, const std::vector<std::vector<int>>& next) {
  std::vector<int> leaves;
  for (const int other : next[ix(box)]) {
    if (hosts[ix(other)] > 0) leaves.push_back(other);
  }
  if (leaves.size() < 2 || hosts[ix(box)] >= static_cast<int>(leaves.size())) return false;
  return std::all_of(leaves.begin(), leaves.end(), [&](int leaf) {
    const auto joins = std::count_if(next[ix(leaf)].begin(), next[ix(leaf)].end(),
                                     [&hosts](int other) { return hosts[ix(other)] > 0; });
    return static_cast<std::size_t>(joins) < leaves.size() && hosts[ix(leaf)] >= 2 * hosts[ix(box)];
  });
}

/// Leaves that share more than half of their named hosts, by union-find.
std::vector<int> leaf_units(const std::vector<IbHost>& hosts, std::size_t nodes) {
  std::vector<int> parent(nodes);
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&parent](int i) {
    while (parent[ix(i)] != i) i = parent[ix(i)] = parent[ix(parent[ix(i)])];
    return i;
  };
  constexpr std::size_t kMostRails = 64;  // of a host; the work grows with its square
  std::map<std::pair<int, int>, int> both;
  std::vector<int> served(nodes, 0);
  for (const auto& host : hosts) {
    if (!host.named) continue;  // each of its adapters stands for itself
    std::vector<int> leaves = host.leaves;
    std::sort(leaves.begin(), leaves.end());
    leaves.erase(std::unique(leaves.begin(), leaves.end()), leaves.end());
    for (const int leaf : leaves) ++served[ix(leaf)];
    if (leaves.size() > kMostRails) leaves.resize(kMostRails);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      for (std::size_t j = i + 1; j < leaves.size(); ++j) ++both[{leaves[i], leaves[j]}];
    }
  }
  for (const auto& [pair, common] : both) {
    const int all = served[ix(pair.first)] + served[ix(pair.second)] - common;
    if (2 * common > all) parent[ix(root(pair.first))] = root(pair.second);
  }
  for (std::size_t i = 0; i < nodes; ++i) parent[i] = root(static_cast<int>(i));
  return parent;
}

}  // namespace

IbLayers ib_layers(const IbGraph& graph) {
  IbLayers layers;
  const std::size_t count = graph.nodes.size();
  layers.hosts = hosts_of(graph);
  layers.name = switch_names(graph);
  layers.level.assign(count, -1);
  layers.unit.assign(count, -1);
  const auto next = neighbours(graph);
  std::vector<int> hosts(count, 0);
  for (const auto& host : layers.hosts) {
    for (const int leaf : std::set<int>(host.leaves.begin(), host.leaves.end())) ++hosts[ix(leaf)];
  }
  std::vector<int> queue;
  for (std::size_t i = 0; i < count; ++i) {
    if (hosts[i] == 0 || only_joins(static_cast<int>(i), hosts, next)) continue;
    layers.level[i] = 0;
    queue.push_back(static_cast<int>(i));
  }
  std::sort(queue.begin(), queue.end(), [&layers](int a, int b) {
    return ::strverscmp(layers.name[ix(a)].c_str(), layers.name[ix(b)].c_str()) < 0;
  });
  const auto together = leaf_units(layers.hosts, count);
  std::map<int, int> unit_of;
  for (const int leaf : queue) {
    const auto [at, added] = unit_of.try_emplace(together[ix(leaf)], layers.units);
    if (added) ++layers.units;
    layers.unit[ix(leaf)] = at->second;
  }
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const int box = queue[head];
    for (const int other : next[ix(box)]) {
      if (layers.level[ix(other)] >= 0) continue;
      layers.level[ix(other)] = layers.level[ix(box)] + 1;
      layers.top = std::max(layers.top, layers.level[ix(other)]);
      queue.push_back(other);
    }
  }
  return layers;
}

}  // namespace topolaunch::topo
