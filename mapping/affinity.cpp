// SPDX-License-Identifier: Apache-2.0
#include "mapping/affinity.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/counted.h"
#include "mapping/index.h"
#include "mapping/nic_choice.h"

namespace topolaunch::mapping {
namespace {

/// CPUs near one seat and how that is known.
struct Neighbourhood {
  std::optional<int> numa;
  CpuSet cpus;       ///< allowed ones
  std::string note;
};

CpuSet allowed_cpus(const topo::Host& host) {
  return host.allowed_cpus.empty() ? host.cpus : host.allowed_cpus;
}

bool memory_allowed(const topo::Host& host, int node) {
  return host.allowed_memory.empty() || host.allowed_memory.contains(node);
}

/// The node with CPUs that shares most CPUs with `cpus`.
std::optional<int> node_of(const topo::Host& host, const CpuSet& cpus) {
  std::optional<int> best;
  int most = 0;
  for (const auto& node : host.numa) {
    const int shared = (node.cpus & cpus).size();
    if (shared > most) {
      most = shared;
      best = node.id;
    }
  }
  return best;
}

/// NUMA node of a device under the same root port, where one is known: some sources give the GPU
/// no node while the NIC beside it has one.
std::optional<int> neighbour_node(const topo::Host& host, const topo::Gpu& gpu) {
  if (gpu.pcie_path.empty()) return std::nullopt;
  const auto same_root = [&](const std::vector<topo::PciAddress>& path) {
    return !path.empty() && path.front() == gpu.pcie_path.front();
  };
  for (const auto& other : host.gpus)
    if (other.numa && same_root(other.pcie_path)) return other.numa;
  for (const auto& nic : host.nics)
    if (nic.numa && same_root(nic.pcie_path)) return nic.numa;
  return std::nullopt;
}

/// Allowed CPUs of the package of `node`; empty if unknown or none.
CpuSet package_cpus(const topo::Host& host, const topo::NumaNode& node, const CpuSet& allowed) {
  CpuSet set;
  if (node.package < 0) return set;
  for (const auto& other : host.numa)
    if (other.package == node.package) set = set | (other.cpus & allowed);
  return set;
}

Neighbourhood neighbourhood(const topo::Host& host, const topo::Gpu& gpu, const CpuSet& allowed) {
  Neighbourhood near;
  const auto* node = gpu.numa ? host.numa_node(*gpu.numa) : nullptr;
  if (node != nullptr && node->cpus.empty()) node = nullptr;  // memory-only: no place for CPUs
  CpuSet wanted;
  if (node != nullptr) {
    wanted = node->cpus;
    // Where both are known and cross (virtual machines with wrong tables), their common part.
    if (!gpu.affinity.empty() && wanted.intersects(gpu.affinity & allowed)) wanted = wanted & gpu.affinity;
  } else if (!gpu.affinity.empty()) {
    wanted = gpu.affinity;
  } else if (const auto beside = neighbour_node(host, gpu)) {
    node = host.numa_node(*beside);
    if (node != nullptr) wanted = node->cpus;
  }
  if (wanted.empty()) {
    near.cpus = allowed;
    near.note = fmt::format("locality unknown: no source says which CPUs are near GPU {}", gpu.index);
    return near;
  }
  near.numa = node != nullptr ? std::optional(node->id) : node_of(host, wanted);
  near.cpus = wanted & allowed;
  if (!near.cpus.empty()) return near;
  const std::string where = near.numa ? fmt::format("NUMA node {}", *near.numa) : "its affinity mask";
  if (node != nullptr) near.cpus = package_cpus(host, *node, allowed);
  const bool same_package = !near.cpus.empty();
  if (!same_package) near.cpus = allowed;
  near.note = fmt::format("{}, nearest to GPU {}, has no allowed CPU (allowed: {}): {}", where, gpu.index,
                          allowed.to_list(),
                          same_package ? "another node of its socket is used" : "the allowed ones are used");
  return near;
}

/// Where no source says which CPUs share a core. Linux numbers the second threads of all cores behind the
/// first ones: "0-55,112-167" of a node are taken for the two threads of 56 cores. Were they not, whole
/// pairs would be as good a share as any.
std::vector<std::vector<int>> likely_cores(const topo::Host& host) {
  std::vector<std::vector<int>> cores;
  for (const auto& node : host.numa) {
    std::vector<std::vector<int>> runs;
    for (const int cpu : node.cpus.to_vector()) {
      if (runs.empty() || runs.back().back() + 1 != cpu) runs.emplace_back();
      runs.back().push_back(cpu);
    }
    const bool alike = std::ranges::all_of(runs, [&](const auto& run) { return run.size() == runs.front().size(); });
    if (runs.size() < 2 || !alike) continue;
    for (std::size_t c = 0; c < runs.front().size(); ++c) {
      cores.emplace_back();
      for (const auto& run : runs) cores.back().push_back(run[c]);
    }
  }
  return cores;
}

/// Cores of `cpus` as lists of CPUs, NUMA node by NUMA node.
std::vector<std::vector<int>> cores_of(const topo::Host& host, const CpuSet& cpus) {
  std::vector<std::vector<int>> cores;
  CpuSet left = cpus;
  for (const auto& siblings : host.smt.empty() ? likely_cores(host) : host.smt) {
    std::vector<int> core;
    for (const int cpu : siblings)
      if (left.contains(cpu)) core.push_back(cpu);
    for (const int cpu : core) left.remove(cpu);
    if (!core.empty()) cores.push_back(std::move(core));
  }
  for (const int cpu : left.to_vector()) cores.push_back({cpu});
  const auto node_number = [&](int cpu) {
    for (int n = 0; n < count_of(host.numa); ++n)
      if (host.numa[ix(n)].cpus.contains(cpu)) return n;
    return count_of(host.numa);
  };
  std::stable_sort(cores.begin(), cores.end(), [&](const auto& a, const auto& b) {
    return std::pair(node_number(a.front()), a.front()) < std::pair(node_number(b.front()), b.front());
  });
  return cores;
}

struct Share {
  CpuSet cpus;
  std::string note;
};

/// Part `i` of `parts` of the cores: whole cores; hardware threads where there are fewer cores than
/// parts; shared CPUs where there are fewer of those.
Share share_of(const std::vector<std::vector<int>>& cores, int i, int parts) {
  Share share;
  const auto cut = [&](int total) {
    return std::pair(static_cast<int>(static_cast<std::int64_t>(i) * total / parts),
                     static_cast<int>(static_cast<std::int64_t>(i + 1) * total / parts));
  };
  if (parts <= count_of(cores)) {
    const auto [first, end] = cut(count_of(cores));
    for (int c = first; c < end; ++c)
      for (const int cpu : cores[ix(c)]) share.cpus.add(cpu);
    return share;
  }
  std::vector<int> threads;
  for (const auto& core : cores) threads.insert(threads.end(), core.begin(), core.end());
  const auto [first, end] = cut(count_of(threads));
  for (int t = first; t < std::max(end, first + 1); ++t) share.cpus.add(threads[ix(t)]);
  if (parts <= count_of(threads))
    share.note = fmt::format("{} on {}: bound to hardware threads of shared cores",
                             counted(parts, "rank"), counted(cores.size(), "core"));
  else
    share.note = fmt::format("{} share {}", counted(parts, "rank"), counted(threads.size(), "CPU"));
  return share;
}

void set_memory(const topo::Host& host, Affinity& affinity) {
  if (!affinity.numa) return;
  const auto* node = host.numa_node(*affinity.numa);
  if (node == nullptr) return;
  if (memory_allowed(host, node->id)) {
    affinity.memory_nodes = {node->id};
    return;
  }
  const auto note = fmt::format("memory of NUMA node {} is not allowed (allowed: {})", node->id,
                                host.allowed_memory.to_list());
  affinity.note += (affinity.note.empty() ? "" : "; ") + note;
}

void add_note(Affinity& affinity, const std::string& note) {
  if (note.empty()) return;
  affinity.note += (affinity.note.empty() ? "" : "; ") + note;
}

/// Ranks without a GPU: spread over the allowed CPUs by core, neighbours in slot are neighbours in
/// the machine.
void place_cpu_ranks(const topo::Host& host, const std::vector<int>& who, const CpuSet& cpus,
                     std::vector<Affinity>& result) {
  const auto cores = cores_of(host, cpus);
  for (int i = 0; i < count_of(who); ++i) {
    auto& affinity = result[ix(who[ix(i)])];
    const auto share = share_of(cores, i, count_of(who));
    affinity.cpus = share.cpus;
    add_note(affinity, share.note);
    // A node is named only where all CPUs of the rank are in it: a rank over two nodes keeps
    // the system's memory policy.
    const auto node = node_of(host, share.cpus);
    if (node && host.numa_node(*node)->cpus.includes(share.cpus)) affinity.numa = node;
    set_memory(host, affinity);
  }
}

}  // namespace

std::vector<Affinity> host_affinity(const topo::Host& host, const std::vector<Seat>& seats) {
  std::vector<Affinity> result(seats.size());
  const CpuSet allowed = allowed_cpus(host);
  std::vector<int> by_slot(seats.size());
  std::iota(by_slot.begin(), by_slot.end(), 0);
  std::stable_sort(by_slot.begin(), by_slot.end(),
                   [&](int a, int b) { return seats[ix(a)].slot < seats[ix(b)].slot; });

  if (allowed.empty()) {
    for (auto& affinity : result) affinity.note = "not bound: the CPUs of the host are not known";
  } else {
    std::vector<int> cpu_ranks;
    std::map<std::string, std::pair<CpuSet, std::vector<int>>> same_cpus;  // by list text
    std::vector<int> unknown;
    CpuSet known;
    for (const int i : by_slot) {
      const int g = seats[ix(i)].gpu;
      if (g < 0 || g >= count_of(host.gpus)) {
        cpu_ranks.push_back(i);
        continue;
      }
      auto near = neighbourhood(host, host.gpus[ix(g)], allowed);
      result[ix(i)].numa = near.numa;
      result[ix(i)].note = near.note;
      if (!near.numa && near.cpus == allowed) {
        unknown.push_back(i);
        continue;
      }
      auto& [cpus, who] = same_cpus[near.cpus.to_list()];
      cpus = near.cpus;
      who.push_back(i);
      known = known | near.cpus;
    }
    const auto deal = [&](const CpuSet& cpus, const std::vector<int>& who) {
      const auto cores = cores_of(host, cpus);
      for (int i = 0; i < count_of(who); ++i) {
        const auto share = share_of(cores, i, count_of(who));
        result[ix(who[ix(i)])].cpus = share.cpus;
        add_note(result[ix(who[ix(i)])], share.note);
        set_memory(host, result[ix(who[ix(i)])]);
      }
    };
    for (const auto& [key, group] : same_cpus) deal(group.first, group.second);
    // GPUs of unknown place take the CPUs that no other rank has, if those give each a core.
    const CpuSet rest = allowed - known;
    if (!unknown.empty())
      deal(count_of(cores_of(host, rest)) >= count_of(unknown) ? rest : allowed, unknown);
    if (!cpu_ranks.empty()) place_cpu_ranks(host, cpu_ranks, allowed, result);
  }

  choose_nics(host, seats, result);
  return result;
}

namespace {

/// Whether two hosts give equal seats equal affinities: all that host_affinity reads is the same.
bool alike(const topo::Host& a, const topo::Host& b) {
  const auto nodes = [](const topo::NumaNode& x, const topo::NumaNode& y) {
    return x.id == y.id && x.package == y.package && x.cpus == y.cpus;
  };
  const auto gpus = [](const topo::Gpu& x, const topo::Gpu& y) {
    return x.index == y.index && x.numa == y.numa && x.pci == y.pci && x.affinity == y.affinity && x.pcie_path == y.pcie_path;
  };
  const auto nics = [](const topo::Nic& x, const topo::Nic& y) {
    return x.name == y.name && x.numa == y.numa && x.pci == y.pci && x.rate == y.rate && x.rdma == y.rdma && x.up == y.up &&
           x.pcie_path == y.pcie_path;
  };
  return a.cpus == b.cpus && a.allowed_cpus == b.allowed_cpus && a.allowed_memory == b.allowed_memory && a.smt == b.smt &&
         std::ranges::equal(a.numa, b.numa, nodes) && std::ranges::equal(a.gpus, b.gpus, gpus) &&
         std::ranges::equal(a.nics, b.nics, nics);
}

/// Whether the seats of two hosts are the same there.
bool same_there(const std::vector<Seat>& a, const std::vector<Seat>& b) {
  return std::ranges::equal(a, b, [](const Seat& x, const Seat& y) { return x.gpu == y.gpu && x.slot == y.slot; });
}

}  // namespace

std::vector<Affinity> affinity_of(const topo::Topology& topology, const std::vector<Seat>& seats) {
  std::vector<std::vector<int>> ranks(topology.hosts.size());
  for (int r = 0; r < count_of(seats); ++r) ranks[ix(seats[ix(r)].host)].push_back(r);
  std::vector<Affinity> result(seats.size());
  // A cluster's hosts are mostly like the one before.
  const topo::Host* last = nullptr;
  std::vector<Seat> there, here;
  std::vector<Affinity> affinities;
  for (int h = 0; h < count_of(topology.hosts); ++h) {
    here.clear();
    for (const int r : ranks[ix(h)]) here.push_back(seats[ix(r)]);
    const auto& host = topology.hosts[ix(h)];
    if (last == nullptr || !same_there(here, there) || !alike(host, *last)) {
      affinities = host_affinity(host, here);
      there = here;
      last = &host;
    }
    for (int i = 0; i < count_of(here); ++i) result[ix(ranks[ix(h)][ix(i)])] = affinities[ix(i)];
  }
  return result;
}

}  // namespace topolaunch::mapping
