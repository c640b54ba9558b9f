// SPDX-License-Identifier: Apache-2.0
#include "topo/fabric_fuse.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "topo/cpu_merge.h"

namespace topolaunch::topo {
namespace {

std::size_t ix(int i) { return static_cast<std::size_t>(i); }

/// Hosts below each switch, in order; only where a switch has any.
std::vector<std::vector<int>> hosts_below(const Fabric& fabric) {
  std::vector<std::vector<int>> below(fabric.switches.size());
  for (std::size_t h = 0; h < fabric.leaf_of_host.size(); ++h) {
    for (int at = fabric.leaf_of_host[h]; at >= 0; at = fabric.switches[ix(at)].parent) {
      below[ix(at)].push_back(static_cast<int>(h));
    }
  }
  return below;
}

class Fusion {
 public:
  Fusion(SourceFabric& into, const std::vector<std::string>& hosts, std::vector<Warning>& warnings)
      : into_(into), hosts_(hosts), warnings_(warnings) {}

  void add(const SourceFabric& other) {
    take_rates(other);
    compare(other);
    take_places(other);
  }

 private:
  int place(int host) const { return into_.fabric.leaf_of_host[ix(host)]; }
  std::string origin(const SourceFabric& source, int box) const {
    return source.origins.empty()
               ? std::string("another source")
               : source.origins[ix(std::min(box, static_cast<int>(source.origins.size()) - 1))]
                     .text();
  }

  void take_rates(const SourceFabric& other) {
    std::map<std::vector<int>, Bandwidth> rates;
    const auto theirs = hosts_below(other.fabric);
    for (std::size_t i = 0; i < theirs.size(); ++i) {
      if (!theirs[i].empty() && other.fabric.switches[i].uplink.known()) {
        rates.emplace(theirs[i], other.fabric.switches[i].uplink);
      }
    }
    const auto own = hosts_below(into_.fabric);
    for (std::size_t i = 0; i < own.size(); ++i) {
      Switch& box = into_.fabric.switches[i];
      const auto rate = rates.find(own[i]);
      if (!box.uplink.known() && rate != rates.end()) box.uplink = rate->second;
    }
  }

  /// A leaf of the other source may be part of one of ours, or made of several: another way to cut
  /// the same tree. Only leaves that overlap are a contradiction.
  void compare(const SourceFabric& other) {
    std::map<int, std::map<int, std::vector<int>>> groups;  // their leaf -> our leaf -> hosts
    std::map<int, int> size;                                // of our leaves, hosts that both place
    for (std::size_t h = 0; h < hosts_.size(); ++h) {
      const int theirs = other.fabric.leaf_of_host[h];
      const int ours = into_.fabric.leaf_of_host[h];
      if (theirs < 0 || ours < 0) continue;
      groups[theirs][ours].push_back(static_cast<int>(h));
      ++size[ours];
    }
    int conflicts = 0;
    std::string first;
    Origin where;
    for (const auto& [theirs, parts] : groups) {
      if (parts.size() < 2) continue;
      const auto torn = std::find_if(parts.begin(), parts.end(), [&size](const auto& part) {
        return static_cast<int>(part.second.size()) < size[part.first];
      });
      if (torn == parts.end()) continue;
      if (conflicts++ > 0) continue;
      const auto& with = torn == parts.begin() ? *std::next(parts.begin()) : *parts.begin();
      where = other.origins.empty() ? Origin() : other.origins[ix(theirs)];
      first = fmt::format("{} and {} hang on {} and {} by {}, together on {} by {}",
                          hosts_[ix(torn->second.front())], hosts_[ix(with.second.front())],
                          into_.fabric.switches[ix(torn->first)].name,
                          into_.fabric.switches[ix(with.first)].name, origin(into_, torn->first),
                          other.fabric.switches[ix(theirs)].name, origin(other, theirs));
    }
    if (conflicts == 0) return;
    warn(warnings_, "fabric-conflict", Warning::Severity::warning, where,
         fmt::format("{}; the first is used{}", first,
                     conflicts > 1 ? fmt::format(" ({} leaves differ so)", conflicts) : ""));
  }

  void take_places(const SourceFabric& other) {
    std::map<int, std::set<int>> known;        // their leaf -> our leaves of its hosts
    std::map<int, std::vector<int>> unplaced;  // their leaf -> hosts that we don't place
    for (std::size_t h = 0; h < hosts_.size(); ++h) {
      const int theirs = other.fabric.leaf_of_host[h];
      if (theirs < 0) continue;
      if (place(static_cast<int>(h)) >= 0) {
        known[theirs].insert(place(static_cast<int>(h)));
      } else {
        unplaced[theirs].push_back(static_cast<int>(h));
      }
    }
    for (const auto& [theirs, lost] : unplaced) {
      const auto at = known.find(theirs);
      int box = -1;
      if (at == known.end()) {
        box = add_box(other, theirs);
      } else if (at->second.size() == 1) {
        box = *at->second.begin();
      } else {
        continue;  // its neighbours are on several of our leaves: no place follows
      }
      for (const int host : lost) into_.fabric.leaf_of_host[ix(host)] = box;
      warn(warnings_, "host-place-second-source", Warning::Severity::note,
           other.origins[ix(theirs)],
           fmt::format("{}{} is placed on {} by {} alone", hosts_[ix(lost.front())],
                       lost.size() > 1 ? fmt::format(" (and {} more)", lost.size() - 1) : "",
                       into_.fabric.switches[ix(box)].name, origin(other, theirs)));
    }
  }

  /// Their leaf, as a root: what joins it to ours is not known.
  int add_box(const SourceFabric& other, int theirs) {
    Switch box = other.fabric.switches[ix(theirs)];
    box.parent = -1;
    box.level = 0;
    const auto taken = [this](const std::string& name) {
      return std::any_of(into_.fabric.switches.begin(), into_.fabric.switches.end(),
                         [&name](const Switch& present) { return present.name == name; });
    };
    while (taken(box.name)) box.name += "'";
    into_.fabric.switches.push_back(std::move(box));
    into_.origins.push_back(other.origins[ix(theirs)]);
    return static_cast<int>(into_.fabric.switches.size()) - 1;
  }

  SourceFabric& into_;
  const std::vector<std::string>& hosts_;
  std::vector<Warning>& warnings_;
};

}  // namespace

Fabric fuse(std::vector<SourceFabric> sources, const std::vector<std::string>& hosts,
            std::vector<Warning>& warnings) {
  if (sources.empty()) return {};
  Fusion fusion(sources.front(), hosts, warnings);
  for (std::size_t i = 1; i < sources.size(); ++i) fusion.add(sources[i]);
  return std::move(sources.front().fabric);
}

}  // namespace topolaunch::topo
