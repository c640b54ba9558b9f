// SPDX-License-Identifier: Apache-2.0
#include "topo/draw/fabric_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "topo/fabric_view.h"
#include "topo/host_words.h"

namespace topolaunch::topo::draw {
namespace {

/// "8 x A, 1 x B": equal words counted, in order of appearance.
std::string tally(const std::vector<std::string>& words) {
  std::vector<std::pair<std::string, std::size_t>> counts;
  for (const std::string& word : words) {
    const auto found = std::ranges::find(counts, word, &std::pair<std::string, std::size_t>::first);
    if (found == counts.end())
      counts.emplace_back(word, 1);
    else
      ++found->second;
  }
  std::string text;
  for (const auto& [word, n] : counts) {
    text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", n, word);
  }
  return text;
}

/// Levels that are followed; a file may claim any number. What lies deeper is a rest.
constexpr int kDeepest = 32;

class Collapser {
 public:
  Collapser(const Topology& topology, const DrawingLimits& limits)
      : topology_(topology), view_(topology), limits_(limits) {
    std::size_t bottoms = 0;
    for (std::size_t i = 0; i < topology.fabric.switches.size(); ++i) {
      if (view_.children(i).empty()) ++bottoms;
      most_hosts_ = std::max(most_hosts_, view_.hosts(i).size());
    }
    merge_switches_ = bottoms > limits.columns;
    // A merged switch stands for others: single host names below it would be one's own.
    merge_hosts_ = merge_switches_ || topology.hosts.size() > limits.hosts ||
                   most_hosts_ > limits.hosts_of_switch;
  }

  FabricTree tree() {
    return {entries(view_.roots(), 0),
            host_entries(view_.unplaced(), topology_.hosts.size() > limits_.hosts)};
  }

 private:
  std::size_t id(const std::string& words) {
    return ids_.emplace(words, ids_.size()).first->second;
  }

  std::size_t kind_of_host(std::size_t host) {
    const Host& it = topology_.hosts[host];
    return id("host " + host_kind(it) + "; " + network_kind(it));
  }

  /// Equal for switches with equal things below them, whatever their names.
  std::size_t kind_of(std::size_t box, int depth) {
    const auto known = kinds_.find(box);
    if (known != kinds_.end()) return known->second;
    std::string words = fmt::format("switch {} {}", topology_.fabric.switches[box].level,
                                    topology_.fabric.switches[box].uplink.bytes_per_second());
    std::map<std::size_t, std::size_t> below;
    if (depth < kDeepest) {
      for (const std::size_t child : view_.children(box)) ++below[kind_of(child, depth + 1)];
    }
    for (const std::size_t host : view_.hosts(box)) ++below[kind_of_host(host)];
    for (const auto& [kind, n] : below) words += fmt::format(" {}x{}", n, kind);
    return kinds_[box] = id(words);
  }

  template <class Kind>
  std::vector<std::vector<std::size_t>> grouped(const std::vector<std::size_t>& all, bool merge,
                                                const Kind& kind) {
    std::vector<std::vector<std::size_t>> groups;
    std::map<std::size_t, std::size_t> place;
    for (const std::size_t one : all) {
      const auto [at, added] = place.try_emplace(merge ? kind(one) : one, groups.size());
      if (added) groups.emplace_back();
      groups[at->second].push_back(one);
    }
    return groups;
  }

  /// Where there are more kinds than fit, the last entry holds all others.
  template <class Entry>
  void limit(std::vector<Entry>& entries, std::size_t most,
             std::vector<std::size_t> Entry::*members) {
    if (entries.size() <= most) return;
    Entry& rest = entries[most - 1];
    for (std::size_t i = most; i < entries.size(); ++i) {
      const auto& more = entries[i].*members;
      (rest.*members).insert((rest.*members).end(), more.begin(), more.end());
    }
    rest.alike = false;
    entries.resize(most);
  }

  std::vector<HostEntry> host_entries(const std::vector<std::size_t>& hosts, bool merge) {
    std::vector<HostEntry> out;
    for (auto& group : grouped(hosts, merge, [this](std::size_t h) { return kind_of_host(h); })) {
      out.push_back({std::move(group), true, example_});
    }
    if (merge) limit(out, limits_.kinds, &HostEntry::hosts);
    return out;
  }

  std::vector<SwitchEntry> entries(const std::vector<std::size_t>& boxes, int depth) {
    std::vector<SwitchEntry> out;
    const auto kind = [&](std::size_t box) { return kind_of(box, depth); };
    for (auto& group : grouped(boxes, merge_switches_, kind)) {
      SwitchEntry entry;
      entry.switches = std::move(group);
      entry.example = example_;
      out.push_back(std::move(entry));
    }
    if (merge_switches_) limit(out, limits_.kinds, &SwitchEntry::switches);
    for (SwitchEntry& entry : out) {
      for (const std::size_t box : entry.switches) entry.all_hosts += view_.hosts_below(box).size();
      if (depth == kDeepest) entry.alike = false;
      if (!entry.alike) {
        std::vector<std::size_t> all;
        for (const std::size_t box : entry.switches) {
          const auto below = view_.hosts_below(box);
          all.insert(all.end(), below.begin(), below.end());
        }
        entry.hosts = host_entries(all, true);
        continue;
      }
      // What is below one of a pile is an example of what is below the others.
      const bool outer = example_;
      example_ = example_ || entry.switches.size() > 1;
      entry.below = entries(view_.children(entry.switches.front()), depth + 1);
      entry.hosts = host_entries(view_.hosts(entry.switches.front()), merge_hosts_);
      example_ = outer;
    }
    return out;
  }

  const Topology& topology_;
  FabricView view_;
  DrawingLimits limits_;
  bool merge_switches_ = false, merge_hosts_ = false, example_ = false;
  std::size_t most_hosts_ = 0;
  std::map<std::string, std::size_t> ids_;
  std::map<std::size_t, std::size_t> kinds_;
};

}  // namespace

std::string host_kind(const Host& host) {
  std::vector<std::string> models;
  for (const Gpu& gpu : host.gpus) models.push_back(short_model(gpu));
  if (!models.empty()) return tally(models);
  if (host.slots > 0) {
    return counted(static_cast<std::size_t>(host.slots), "slot", "slots");
  }
  if (!host.cpus.empty()) {
    return counted(static_cast<std::size_t>(host.cpus.size()), "CPU", "CPUs");
  }
  return "GPUs unknown";
}

std::string network_kind(const Host& host) {
  std::vector<std::string> rates;
  for (const Nic& nic : host.nics) {
    if (nic.up) rates.push_back(nic.rate.known() ? bits_text(nic.rate) : "NIC");
  }
  return tally(rates);
}

FabricTree fabric_tree(const Topology& topology, const DrawingLimits& limits) {
  return Collapser(topology, limits).tree();
}

}  // namespace topolaunch::topo::draw
