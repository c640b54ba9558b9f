// SPDX-License-Identifier: Apache-2.0
#include "topo/ib_fabric.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <unordered_set>

#include "topo/ib_faults.h"
#include "topo/ib_layers.h"

namespace topolaunch::topo {
namespace {

std::size_t ix(int i) { return static_cast<std::size_t>(i); }

/// "spine-1", "spine-1+spine-2", "spine-1+7": one box of the forest that several switches make up.
std::string joint_name(std::vector<std::string> names) {
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return ::strverscmp(a.c_str(), b.c_str()) < 0;
  });
  if (names.empty()) return "subnet";  // leaves that are cabled to each other
  if (names.size() == 2) return names[0] + "+" + names[1];
  return names.size() > 2 ? fmt::format("{}+{}", names[0], names.size() - 1) : names[0];
}

/// Joins switches level by level; what a level joins that was apart before gets a box above it.
class Forest {
 public:
  Forest(const IbGraph& graph, const IbLayers& layers)
      : box_of(graph.nodes.size(), -1),
        graph_(graph),
        layers_(layers),
        parent_(graph.nodes.size()),
        owner_(graph.nodes.size(), -1) {
    std::iota(parent_.begin(), parent_.end(), 0);
    leaves();
    for (int level = 1; level <= std::max(1, layers_.top); ++level) raise(level);
  }

  std::vector<SwitchFact> boxes;
  std::vector<int> line;    ///< of each box
  std::vector<int> box_of;  ///< of each node that is a switch; -1 = of none

 private:
  int root(int i) {
    while (parent_[ix(i)] != i) i = parent_[ix(i)] = parent_[ix(parent_[ix(i)])];
    return i;
  }
  void join(int a, int b) { parent_[ix(root(a))] = root(b); }
  bool up_to(int node, int level) const {
    return layers_.level[ix(node)] >= 0 && layers_.level[ix(node)] <= level;
  }

  int add_box(const std::vector<int>& members, int level) {
    std::vector<std::string> names;
    for (const int node : members) names.push_back(layers_.name[ix(node)]);
    SwitchFact box;
    box.name = joint_name(std::move(names));
    const std::string stem = box.name;
    for (int i = 2; !taken_.insert(box.name).second; ++i) box.name = fmt::format("{}-{}", stem, i);
    box.level = level;
    boxes.push_back(std::move(box));
    line.push_back(members.empty() ? 0 : graph_.nodes[ix(members.front())].line);
    return static_cast<int>(boxes.size()) - 1;
  }

  void leaves() {
    std::vector<std::vector<int>> members(ix(layers_.units));
    for (std::size_t i = 0; i < layers_.unit.size(); ++i) {
      if (layers_.unit[i] >= 0) members[ix(layers_.unit[i])].push_back(static_cast<int>(i));
    }
    for (const auto& unit : members) {
      const int box = add_box(unit, 0);
      for (const int node : unit) {
        join(node, unit.front());
        box_of[ix(node)] = box;
      }
      owner_[ix(root(unit.front()))] = box;
    }
  }

  void raise(int level) {
    std::map<int, Bandwidth> leaving;  // of each group: links that leave it; unknown if one is
    std::map<int, bool> silent;
    for (const auto& link : graph_.links) {
      if (layers_.level[ix(link.a)] < 0 || layers_.level[ix(link.b)] < 0) continue;
      const int a = root(link.a), b = root(link.b);
      if (a == b) continue;
      for (const int group : {a, b}) {
        if (!link.rate.known()) silent[group] = true;
        leaving[group] = Bandwidth::bytes_per_second(leaving[group].bytes_per_second() +
                                                     link.rate.bytes_per_second());
      }
    }
    std::vector<int> before(parent_.size());
    for (std::size_t i = 0; i < parent_.size(); ++i) before[i] = root(static_cast<int>(i));
    for (const auto& link : graph_.links) {
      if (up_to(link.a, level) && up_to(link.b, level)) join(link.a, link.b);
    }
    std::map<int, std::vector<int>> below,
        members;  // by group: groups that had a box; new switches
    for (std::size_t i = 0; i < parent_.size(); ++i) {
      const int node = static_cast<int>(i);
      if (before[i] == node && owner_[i] >= 0) below[root(node)].push_back(node);
      if (layers_.level[i] == level) members[root(node)].push_back(node);
    }
    for (const auto& [group, groups] : below) {
      int box = owner_[ix(groups.front())];
      if (groups.size() > 1) {
        box = add_box(members[group], level);
        for (const int child : groups) {
          SwitchFact& under = boxes[ix(owner_[ix(child)])];
          under.parent = boxes[ix(box)].name;
          if (!silent[child]) under.uplink = leaving[child];
        }
      }
      for (const int child : groups) owner_[ix(child)] = -1;
      owner_[ix(group)] = box;
      for (const int node : members[group]) box_of[ix(node)] = box;
    }
  }

  const IbGraph& graph_;
  const IbLayers& layers_;
  std::vector<int> parent_;  ///< union-find over nodes
  std::vector<int> owner_;   ///< of each group's root: its box
  std::unordered_set<std::string> taken_;
};

/// The box where most of a host's ports are, the first of equals; -1 = none.
int place_of(const IbHost& host, const std::vector<int>& box_of, bool& several) {
  std::map<int, int> ports;
  for (const int leaf : host.leaves) {
    if (box_of[ix(leaf)] >= 0) ++ports[box_of[ix(leaf)]];
  }
  several = ports.size() > 1;
  int best = -1;
  for (const auto& [box, count] : ports) {
    if (best < 0 || count > ports[best]) best = box;
  }
  return best;
}

/// What most hosts have; unknown if they don't say.
Bandwidth usual_rate(const std::vector<IbHost>& hosts) {
  std::map<double, int> seen;
  for (const auto& host : hosts) {
    if (host.rate.known()) ++seen[host.rate.bytes_per_second()];
  }
  const auto most = std::max_element(
      seen.begin(), seen.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == seen.end() ? Bandwidth() : Bandwidth::bytes_per_second(most->first);
}

}  // namespace

Result<std::vector<Fact>> ib_fabric_facts(const IbGraph& graph, const std::string& file) {
  const IbLayers layers = ib_layers(graph);
  if (layers.units == 0) {
    const int line = graph.cut && !graph.nodes.empty() ? graph.nodes.back().line : 1;
    return fail(Error{Code::invalid_input,
                      graph.cut
                          ? "the InfiniBand dump is cut off before its first switch with a host"
                          : "the InfiniBand dump has no switch with a host",
                      "dump it again with: ibnetdiscover", file, std::max(1, line)});
  }
  Forest forest(graph, layers);
  std::vector<Fact> facts;
  std::vector<const IbHost*> torn;
  for (const auto& host : layers.hosts) {
    facts.push_back({{"ibnetdiscover", file, host.line}, host.name, MentionFact{}});
    bool several = false;
    const int box = place_of(host, forest.box_of, several);
    if (box >= 0) forest.boxes[ix(box)].hosts.push_back(host.name);
    if (several) torn.push_back(&host);
  }
  for (std::size_t i = 0; i < forest.boxes.size(); ++i) {
    facts.push_back({{"ibnetdiscover", file, forest.line[i]}, {}, std::move(forest.boxes[i])});
  }
  FabricFact whole;
  whole.host_rate = usual_rate(layers.hosts);
  facts.push_back({{"ibnetdiscover", file, 0}, {}, std::move(whole)});
  for (auto& warning : ib_faults(graph, layers, torn, file)) {
    facts.push_back({{"ibnetdiscover", file, warning.line}, {}, WarningFact{std::move(warning)}});
  }
  return facts;
}

}  // namespace topolaunch::topo
