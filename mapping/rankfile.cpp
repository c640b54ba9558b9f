// SPDX-License-Identifier: Apache-2.0
//
// Open MPI's rankfile. Its slot numbers are LOGICAL: position in hwloc's order among the cores
// that mpirun may use (Open MPI 4.1.4: opal/mca/hwloc/base, opal_hwloc_base_cpu_list_parse; the topology is
// loaded without disallowed CPUs), or among the hardware threads with --use-hwthread-cpus. Host::smt lists
// cores in hwloc's order, so a core's logical number is its position there, counting only cores with an
// allowed CPU; where no source gives cores, every allowed CPU is one. A rank that is bound to part of a core
// can be said in hardware threads only: then the whole file is, and its first line says which option it needs.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "mapping/index.h"
#include "mapping/other_launchers.h"

namespace topolaunch::mapping {
namespace {

/// The usable cores of a host in hwloc's order, each with its allowed CPUs.
std::vector<CpuSet> usable_cores(const topo::Host& host) {
  const CpuSet& allowed = host.allowed_cpus.empty() ? host.cpus : host.allowed_cpus;
  std::vector<CpuSet> cores;
  CpuSet left = allowed;
  for (const auto& siblings : host.smt) {
    CpuSet core;
    for (const int cpu : siblings)
      if (left.contains(cpu)) core.add(cpu), left.remove(cpu);
    if (!core.empty()) cores.push_back(core);
  }
  for (const int cpu : left.to_vector()) cores.push_back(CpuSet{cpu});
  return cores;
}

bool whole_cores(const std::vector<CpuSet>& cores, const CpuSet& cpus) {
  return std::all_of(cores.begin(), cores.end(),
                     [&](const CpuSet& core) { return !core.intersects(cpus) || cpus.includes(core); });
}

}  // namespace

Result<std::string> rankfile(const topo::Topology& topology, const Solution& solution) {
  std::map<int, std::vector<CpuSet>> cores;
  bool by_core = true;
  for (const auto& place : solution.placement) {
    const auto& host = topology.hosts[ix(place.seat.host)];
    if (place.affinity.cpus.empty())
      return fail(Code::infeasible, fmt::format("a rankfile must say CPUs, and those of host {} are not known", host.name),
                  "use --format hostfile");
    const auto [at, fresh] = cores.emplace(place.seat.host, std::vector<CpuSet>());
    if (fresh) at->second = usable_cores(host);
    by_core = by_core && whole_cores(at->second, place.affinity.cpus);
  }
  std::string text = by_core
                         ? "# Open MPI 4.1: mpirun --rankfile FILE; 5: mpirun --map-by rankfile:file=FILE\n"
                         : "# Open MPI 4.1: mpirun --use-hwthread-cpus --rankfile FILE; 5: mpirun --map-by rankfile:file=FILE:hwtcpus\n";
  for (const auto& place : solution.placement) {
    CpuSet numbers;
    int next = 0;
    for (const auto& core : cores[place.seat.host]) {
      if (by_core) {
        if (core.intersects(place.affinity.cpus)) numbers.add(next);
        ++next;
      } else {
        for (const int cpu : core.to_vector()) {
          if (place.affinity.cpus.contains(cpu)) numbers.add(next);
          ++next;
        }
      }
    }
    text += fmt::format("rank {}={} slot={}\n", place.rank, topology.hosts[ix(place.seat.host)].name, numbers.to_list());
  }
  return text;
}

}  // namespace topolaunch::mapping
