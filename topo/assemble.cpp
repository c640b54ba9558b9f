// SPDX-License-Identifier: Apache-2.0
#include "topo/assemble.h"

#include <iterator>
#include <unordered_map>
#include <unordered_set>

#include "topo/fabric_merge.h"
#include "topo/host_merge.h"

namespace topolaunch::topo {
namespace {

/// Facts sorted by the host that they are about, hosts in the order of their first mention.
struct Sorted {
  std::vector<std::string> names;
  std::unordered_map<std::string, std::vector<const Fact*>> of_host;
  std::unordered_set<std::string> described;
  std::vector<const Fact*> unnamed;  ///< about a machine without a name
  std::vector<const Fact*> job;      ///< switches and what else is about no host
};

bool about_the_job(const Fact& fact) {
  return std::holds_alternative<SwitchFact>(fact.what) ||
         std::holds_alternative<FabricFact>(fact.what) ||
         std::holds_alternative<PairFact>(fact.what) ||
         (fact.host.empty() && std::holds_alternative<WarningFact>(fact.what));
}

/// That a host is there, how many GPUs it has, which domain it is in: not what it looks like.
bool only_mentions(const Fact& fact) {
  return std::holds_alternative<MentionFact>(fact.what) ||
         std::holds_alternative<GpuCountFact>(fact.what) ||
         std::holds_alternative<NvlinkDomainFact>(fact.what) ||
         std::holds_alternative<WarningFact>(fact.what);
}

/// Gives hosts the names that they go by, wherever a source calls them otherwise.
void rename_hosts(std::vector<Fact>& facts) {
  std::unordered_map<std::string, std::string> names;
  for (const Fact& fact : facts) {
    if (const auto* said = std::get_if<HostNameFact>(&fact.what)) names.emplace(fact.host, said->name);
  }
  if (names.empty()) return;
  std::erase_if(facts, [](const Fact& fact) {
    return std::holds_alternative<HostNameFact>(fact.what);
  });
  const auto rename = [&names](std::string& name) {
    if (const auto at = names.find(name); at != names.end()) name = at->second;
  };
  for (Fact& fact : facts) {
    rename(fact.host);
    if (auto* box = std::get_if<SwitchFact>(&fact.what)) {
      for (auto& host : box->hosts) rename(host);
    }
    if (auto* pair = std::get_if<PairFact>(&fact.what)) {
      rename(pair->a);
      rename(pair->b);
    }
    if (auto* fabric = std::get_if<FabricFact>(&fact.what)) {
      for (auto& host : fabric->distance_hosts) rename(host);
    }
  }
}

Sorted sort_facts(const Survey& survey) {
  Sorted sorted;
  for (const Fact& fact : survey.facts) {
    if (about_the_job(fact)) {
      sorted.job.push_back(&fact);
    } else if (fact.host.empty()) {
      sorted.unnamed.push_back(&fact);
    } else {
      auto& facts = sorted.of_host[fact.host];
      if (facts.empty()) sorted.names.push_back(fact.host);
      facts.push_back(&fact);
      if (!only_mentions(fact)) sorted.described.insert(fact.host);
    }
  }
  return sorted;
}

/// Hosts that switches or measurements name and no other fact is about, in that order.
std::vector<std::string> named_by_the_fabric(const Sorted& sorted) {
  std::vector<std::string> names;
  std::unordered_set<std::string> seen;
  const auto add = [&](const std::string& name) {
    if (!sorted.of_host.contains(name) && seen.insert(name).second) names.push_back(name);
  };
  for (const Fact* fact : sorted.job) {
    if (const auto* box = std::get_if<SwitchFact>(&fact->what)) {
      for (const auto& name : box->hosts) add(name);
    }
    if (const auto* pair = std::get_if<PairFact>(&fact->what)) {
      add(pair->a);
      add(pair->b);
    }
  }
  return names;
}

/// A topology file carries the warnings of its making; what is found again is said once, the way
/// the file said it (carried warnings stand last).
void drop_repeated(std::vector<Warning>& warnings) {
  std::unordered_set<std::string> seen;
  std::vector<Warning> kept;
  for (auto at = warnings.rbegin(); at != warnings.rend(); ++at) {
    if (seen.insert(at->code + '\n' + at->message).second) kept.push_back(std::move(*at));
  }
  warnings.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
}

}  // namespace

Result<Topology> assemble(Survey survey) {
  Topology topology;
  topology.live = survey.live;
  rename_hosts(survey.facts);
  const Sorted sorted = sort_facts(survey);
  const auto keep = [&topology](MergedHost merged) {
    topology.hosts.push_back(std::move(merged.host));
    for (auto& warning : merged.warnings) topology.warnings.push_back(std::move(warning));
  };
  bool stood_in = false;
  for (const auto& name : sorted.names) {
    auto facts = sorted.of_host.at(name);
    if (!sorted.described.contains(name)) {
      facts.insert(facts.end(), sorted.unnamed.begin(), sorted.unnamed.end());
      stood_in = true;
    }
    keep(merge_host(name, facts));
  }
  const auto named_only = named_by_the_fabric(sorted);
  if (!named_only.empty()) {
    // One description serves all of them; its warnings are said once.
    MergedHost pattern = merge_host(named_only.front(), sorted.unnamed);
    for (const auto& name : named_only) {
      pattern.host.name = name;
      topology.hosts.push_back(pattern.host);
    }
    for (auto& warning : pattern.warnings) topology.warnings.push_back(std::move(warning));
  } else if (!sorted.unnamed.empty() && !stood_in) {
    std::string name = "host0";
    for (int i = 1; sorted.of_host.contains(name); ++i) name = "host" + std::to_string(i);
    keep(merge_host(name, sorted.unnamed));
  }
  std::vector<std::string> names;
  names.reserve(topology.hosts.size());
  for (const auto& host : topology.hosts) names.push_back(host.name);
  topology.fabric = merge_fabric(sorted.job, names, topology.warnings);
  for (const Fact* fact : sorted.job) {
    if (const auto* said = std::get_if<WarningFact>(&fact->what)) {
      topology.warnings.push_back(said->warning);
    }
  }
  drop_repeated(topology.warnings);
  topology.survey = std::move(survey.entries);
  return topology;
}

std::vector<Fact> facts_of(const Topology& topology, const Origin& origin) {
  std::vector<Fact> facts;
  for (const Host& host : topology.hosts) {
    const auto add = [&](auto fact) { facts.push_back({origin, host.name, std::move(fact)}); };
    const auto ref = [&host](int index) {
      const Gpu& gpu = host.gpus[static_cast<std::size_t>(index)];
      return GpuRef{gpu.uuid, gpu.pci, index};
    };
    HostFact cpu_side;
    cpu_side.arch = host.arch;
    cpu_side.cpu_vendor = host.cpu_vendor;
    cpu_side.boot_id = host.boot_id;
    cpu_side.cpu_family = host.cpu_family;
    cpu_side.cpu_model = host.cpu_model;
    cpu_side.packages = host.packages;
    cpu_side.cpus = host.cpus;
    cpu_side.allowed_cpus = host.allowed_cpus;
    cpu_side.allowed_memory = host.allowed_memory;
    cpu_side.cpu_quota = host.cpu_quota;
    cpu_side.memory = host.memory;
    cpu_side.memory_limit = host.memory_limit;
    cpu_side.smt = host.smt;
    cpu_side.slots = host.slots;
    add(std::move(cpu_side));
    for (const NumaNode& node : host.numa) add(NumaFact{node});
    for (const Gpu& gpu : host.gpus) {
      GpuFact fact;
      fact.index = gpu.index;
      fact.uuid = gpu.uuid;
      fact.model = gpu.model;
      fact.pci = gpu.pci;
      fact.memory = gpu.memory;
      fact.compute_capability = gpu.compute_capability;
      fact.numa = gpu.numa;
      fact.memory_numa = gpu.memory_numa;
      fact.affinity = gpu.affinity;
      fact.pcie_generation = gpu.pcie_generation;
      fact.pcie_width = gpu.pcie_width;
      fact.pcie_generation_max = gpu.pcie_generation_max;
      fact.pcie_width_max = gpu.pcie_width_max;
      fact.pcie_path = gpu.pcie_path;
      fact.mig = gpu.mig;
      fact.mig_enabled = gpu.mig_enabled;
      fact.fabric_cluster = gpu.fabric_cluster;
      fact.fabric_clique = gpu.fabric_clique;
      fact.fabric_pending = gpu.fabric_pending;
      add(std::move(fact));
    }
    for (const Gpu& gpu : host.gpus) {
      for (const GpuLink& link : gpu.links) {
        GpuLinkFact fact;
        fact.from = ref(gpu.index);
        fact.to = link.to;
        if (link.to == GpuLink::To::gpu) fact.peer = ref(link.peer);
        fact.type = link.type;
        fact.count = link.count;
        fact.inactive = link.inactive;
        fact.bandwidth = link.bandwidth;
        add(std::move(fact));
      }
    }
    for (std::size_t a = 0; a < host.p2p.size(); ++a) {
      for (std::size_t b = 0; b < host.p2p[a].size(); ++b) {
        if (a == b || host.p2p[a][b] == P2pStatus::unknown) continue;
        add(P2pFact{ref(static_cast<int>(a)), ref(static_cast<int>(b)), host.p2p[a][b]});
      }
    }
    for (const Nic& nic : host.nics) add(NicFact{nic});
  }
  const auto& fabric = topology.fabric;
  std::vector<std::vector<std::string>> hosts_of(fabric.switches.size());
  for (std::size_t i = 0; i < fabric.leaf_of_host.size() && i < topology.hosts.size(); ++i) {
    const int leaf = fabric.leaf_of_host[i];
    if (leaf >= 0) hosts_of[static_cast<std::size_t>(leaf)].push_back(topology.hosts[i].name);
  }
  for (std::size_t i = 0; i < fabric.switches.size(); ++i) {
    const Switch& box = fabric.switches[i];
    SwitchFact fact;
    fact.name = box.name;
    if (box.parent >= 0) fact.parent = fabric.switches[static_cast<std::size_t>(box.parent)].name;
    fact.level = box.level;
    fact.uplink = box.uplink;
    fact.hosts = std::move(hosts_of[i]);
    facts.push_back({origin, {}, std::move(fact)});
  }
  const bool matrix = !fabric.host_distances.empty();
  if (!fabric.level_names.empty() || !fabric.distances.empty() || fabric.host_rate.known() || matrix) {
    FabricFact fact{fabric.level_names, fabric.distances, fabric.host_rate, {}, fabric.host_distances};
    if (matrix) {
      for (const Host& host : topology.hosts) fact.distance_hosts.push_back(host.name);
    }
    facts.push_back({origin, {}, std::move(fact)});
  }
  for (const Warning& warning : topology.warnings) {
    facts.push_back({origin, {}, WarningFact{warning}});
  }
  return facts;
}

}  // namespace topolaunch::topo
