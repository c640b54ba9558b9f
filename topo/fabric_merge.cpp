// SPDX-License-Identifier: Apache-2.0
#include "topo/fabric_merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "topo/cpu_merge.h"
#include "topo/fabric_fuse.h"
#include "topo/host_distances.h"
#include "topo/measured_fabric.h"
#include "topo/trust.h"

namespace topolaunch::topo {
namespace {

using Index = std::unordered_map<std::string, int>;

struct Draft {
  Fabric fabric;
  std::vector<Origin> origins;  ///< parallel to fabric.switches
  Index by_name;
};

Draft collect(const std::vector<const Fact*>& facts, std::vector<Warning>& warnings) {
  Draft draft;
  std::vector<const SwitchFact*> said;
  for (const Fact* fact : facts) {
    const auto* box = std::get_if<SwitchFact>(&fact->what);
    if (box == nullptr) continue;
    const auto [at, added] =
        draft.by_name.try_emplace(box->name, static_cast<int>(draft.fabric.switches.size()));
    if (!added) {
      Switch& present = draft.fabric.switches[static_cast<std::size_t>(at->second)];
      if (!present.uplink.known()) present.uplink = box->uplink;
      if (said[static_cast<std::size_t>(at->second)]->parent.empty()) {
        said[static_cast<std::size_t>(at->second)] = box;
      } else if (!box->parent.empty() &&
                 box->parent != said[static_cast<std::size_t>(at->second)]->parent) {
        warn(warnings, "switch-two-parents", Warning::Severity::warning, fact->origin,
             fmt::format("switch {} hangs below {} and {}; the first is used", box->name,
                         said[static_cast<std::size_t>(at->second)]->parent, box->parent));
      }
      continue;
    }
    Switch entry;
    entry.name = box->name;
    entry.level = std::clamp(box->level, 0, 64);
    entry.uplink = box->uplink;
    draft.fabric.switches.push_back(std::move(entry));
    draft.origins.push_back(fact->origin);
    said.push_back(box);
  }
  for (std::size_t i = 0; i < said.size(); ++i) {
    if (said[i]->parent.empty()) continue;
    const auto parent = draft.by_name.find(said[i]->parent);
    if (parent == draft.by_name.end()) {
      warn(warnings, "switch-unknown-parent", Warning::Severity::warning, draft.origins[i],
           fmt::format("switch {} hangs below {}, which nobody describes", said[i]->name,
                       said[i]->parent));
    } else {
      draft.fabric.switches[i].parent = parent->second;
    }
  }
  return draft;
}

/// Cuts loops: every switch is walked up once; meeting a switch of the same walk is a loop.
void cut_loops(Draft& draft, std::vector<Warning>& warnings) {
  auto& switches = draft.fabric.switches;
  std::vector<std::size_t> walk_of(switches.size(), 0);
  for (std::size_t start = 0; start < switches.size(); ++start) {
    std::size_t at = start;
    while (walk_of[at] == 0) {
      walk_of[at] = start + 1;
      if (switches[at].parent < 0) break;
      const auto up = static_cast<std::size_t>(switches[at].parent);
      if (walk_of[up] == start + 1) {
        warn(warnings, "switch-loop", Warning::Severity::warning, draft.origins[at],
             fmt::format("switch {} hangs below itself by way of {}; cut there",
                         switches[up].name, switches[at].name));
        switches[at].parent = -1;
        break;
      }
      at = up;
    }
  }
}

/// Raises parents above their children; sources that have no levels leave all at 0. Children first
/// (there are no loops any more), so that each switch is touched once.
void settle_levels(Fabric& fabric) {
  std::vector<int> children(fabric.switches.size(), 0);
  for (const auto& box : fabric.switches) {
    if (box.parent >= 0) ++children[static_cast<std::size_t>(box.parent)];
  }
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (children[i] == 0) ready.push_back(i);
  }
  while (!ready.empty()) {
    const Switch& box = fabric.switches[ready.back()];
    ready.pop_back();
    if (box.parent < 0) continue;
    const auto up = static_cast<std::size_t>(box.parent);
    fabric.switches[up].level = std::max(fabric.switches[up].level, box.level + 1);
    if (--children[up] == 0) ready.push_back(up);
  }
}

/// The forest of one source.
SourceFabric one_source(const std::vector<const Fact*>& facts, const Index& host_index,
                        std::vector<Warning>& warnings) {
  Draft draft = collect(facts, warnings);
  cut_loops(draft, warnings);
  settle_levels(draft.fabric);
  Fabric& fabric = draft.fabric;
  fabric.leaf_of_host.assign(host_index.size(), -1);
  for (const Fact* fact : facts) {
    const auto* box = std::get_if<SwitchFact>(&fact->what);
    if (box == nullptr) continue;
    const int leaf = draft.by_name.at(box->name);
    for (const auto& name : box->hosts) {
      const auto at = host_index.find(name);
      if (at == host_index.end()) continue;
      int& place = fabric.leaf_of_host[static_cast<std::size_t>(at->second)];
      if (place >= 0 && place != leaf) {
        warn(warnings, "host-two-leaves", Warning::Severity::warning, fact->origin,
             fmt::format("host {} hangs on {} and {}; the first is used", name,
                         fabric.switches[static_cast<std::size_t>(place)].name, box->name));
      } else {
        place = leaf;
      }
    }
  }
  return {std::move(draft.fabric), std::move(draft.origins)};
}

/// Switch facts by source, the most trusted first, those of equal rank as they came.
std::vector<std::vector<const Fact*>> by_source(const std::vector<const Fact*>& facts) {
  std::vector<std::vector<const Fact*>> groups;
  for (const Fact* fact : facts) {
    if (!std::holds_alternative<SwitchFact>(fact->what)) continue;
    const auto group = std::find_if(groups.begin(), groups.end(), [fact](const auto& others) {
      return others.front()->origin.source == fact->origin.source;
    });
    if (group == groups.end()) {
      groups.push_back({fact});
    } else {
      group->push_back(fact);
    }
  }
  std::stable_sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
    return trust_rank(Field::fabric, a.front()->origin) < trust_rank(Field::fabric, b.front()->origin);
  });
  return groups;
}

/// What is said about the whole; level names are those of the source whose switches are used.
void describe(Fabric& fabric, const std::vector<const Fact*>& facts, const std::string& source,
              const std::vector<std::string>& hosts) {
  for (const Fact* fact : facts) {
    const auto* said = std::get_if<FabricFact>(&fact->what);
    if (said == nullptr) continue;
    const bool own = source.empty() || fact->origin.source == source;
    if (own && fabric.level_names.empty()) fabric.level_names = said->level_names;
    if (fabric.distances.empty()) fabric.distances = said->distances;
    if (!fabric.host_rate.known()) fabric.host_rate = said->host_rate;
    if (fabric.host_distances.empty()) fabric.host_distances = in_order_of(hosts, *said);
  }
}

}  // namespace

Fabric merge_fabric(const std::vector<const Fact*>& given, const std::vector<std::string>& hosts,
                    std::vector<Warning>& warnings) {
  const std::vector<Fact> measured = measured_switches(given, warnings);
  std::vector<const Fact*> facts = given;
  for (const Fact& fact : measured) facts.push_back(&fact);
  Index host_index;
  for (std::size_t i = 0; i < hosts.size(); ++i) host_index.emplace(hosts[i], static_cast<int>(i));
  std::vector<SourceFabric> sources;
  const auto groups = by_source(facts);
  for (const auto& group : groups) sources.push_back(one_source(group, host_index, warnings));
  Fabric fabric = fuse(std::move(sources), hosts, warnings);
  fabric.leaf_of_host.resize(hosts.size(), -1);
  describe(fabric, facts, groups.empty() ? std::string() : groups.front().front()->origin.source, hosts);
  if (!fabric.empty()) {
    std::size_t without = 0;
    std::string first;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      if (fabric.leaf_of_host[i] >= 0) continue;
      if (without++ == 0) first = hosts[i];
    }
    if (without > 0) {
      warn(warnings, "host-place-unknown", Warning::Severity::warning, groups.front().front()->origin,
           without == 1 ? fmt::format("host {} hangs on no switch that a source names", first)
                        : fmt::format("{} hosts ({}, ...) hang on no switch that a source names",
                                      without, first));
    }
    int top = 0;
    for (const auto& box : fabric.switches) top = std::max(top, box.level);
    static constexpr const char* kNames[] = {"leaf", "spine", "core"};
    for (int level = static_cast<int>(fabric.level_names.size()); level <= std::min(top, 64);
         ++level) {
      fabric.level_names.push_back(level < 3 ? kNames[level] : fmt::format("level{}", level));
    }
  }
  return fabric;
}

}  // namespace topolaunch::topo
