// SPDX-License-Identifier: Apache-2.0
#include "launcher/make_plan.h"

#include <algorithm>
#include <map>

#include "launcher/device_share.h"
#include "launcher/rank_environment.h"
#include "launcher/workload.h"
#include "mapping/parallel.h"

namespace topolaunch::launcher {
namespace {

std::string leaf_name(const topo::Topology& topology, int host) {
  const topo::Fabric& fabric = topology.fabric;
  const auto h = static_cast<std::size_t>(host);
  if (h >= fabric.leaf_of_host.size() || fabric.leaf_of_host[h] < 0) return {};
  return fabric.switches[static_cast<std::size_t>(fabric.leaf_of_host[h])].name;
}

RankPlan place_of(const PlanRequest& request, const mapping::RankPlace& place) {
  const topo::Host& host = request.topology.hosts[static_cast<std::size_t>(place.seat.host)];
  RankPlan rank;
  rank.rank = place.rank;
  rank.host = host.name;
  if (place.seat.gpu >= 0) {
    const topo::Gpu& gpu = host.gpus[static_cast<std::size_t>(place.seat.gpu)];
    rank.gpu_index = gpu.index;
    rank.gpu_uuid = gpu.uuid;
    rank.gpu_pci = gpu.pci ? gpu.pci->text() : std::string();
    rank.gpu_model = gpu.model;
  }
  rank.numa = place.affinity.numa;
  rank.cpus = place.affinity.cpus;
  rank.memory_nodes = place.affinity.memory_nodes;
  rank.nics = place.affinity.nics;
  rank.note = place.affinity.note;
  return rank;
}

struct HostShares {
  std::vector<VisibleGpus> visible;              // by host
  std::vector<std::vector<DeviceShare>> shares;  // by host and rank there
  const DeviceShare& of(const mapping::RankPlace& place) const {
    return shares[static_cast<std::size_t>(place.seat.host)]
                 [static_cast<std::size_t>(place.local_rank)];
  }
};

HostShares shares_of(const PlanRequest& request, const std::vector<std::vector<int>>& planned) {
  HostShares out;
  for (std::size_t h = 0; h < planned.size(); ++h) {
    out.visible.push_back(h == 0 ? request.visible
                                 : visible_gpus(request.topology.hosts[h], Environment()));
    out.shares.push_back(share_devices(out.visible.back(), planned[h]));
  }
  return out;
}

}  // namespace

int threads_for(const topo::Host& host, const CpuSet& cpus, int sharing) {
  if (cpus.empty() || sharing < 1) return 0;
  int cores = 0;
  CpuSet counted;
  for (const std::vector<int>& core : host.smt) {
    const bool has = std::ranges::any_of(core, [&](int cpu) { return cpus.contains(cpu); });
    if (!has) continue;
    ++cores;
    for (const int cpu : core) counted.add(cpu);
  }
  cores += (cpus - counted).size();  // CPUs of which no source told the core
  return std::max(1, cores / sharing);
}

Plan make_plan(const PlanRequest& request) {
  Plan plan;
  plan.id = request.id;
  plan.engine = request.engine.name;
  plan.engine_why = request.engine.why;
  plan.engine_args = request.options.topology.engine_args;
  plan.workload = workload_of(request.options.job);
  plan.command = request.options.command;
  plan.executable = request.executable;
  plan.working_directory = request.working_directory;
  plan.master_address = request.master_address;
  plan.master_port = request.master_port;
  plan.time_limit = request.options.time_limit;
  plan.grace = request.options.grace;
  plan.tag = request.options.tag ? Plan::Tag::rank : Plan::Tag::none;
  plan.log_directory = request.options.log_directory;
  plan.quiet = request.options.quiet;
  plan.strict = request.options.strict && request.options.validate != "off";
  plan.unset = withheld_variables(request.environment);

  const auto& placement = request.solution.placement;
  const std::size_t hosts = request.topology.hosts.size();
  std::vector<std::vector<int>> planned(hosts);  // GPU by local rank
  std::map<std::pair<int, std::string>, int> sharing;
  for (const mapping::RankPlace& place : placement) {
    const auto h = static_cast<std::size_t>(place.seat.host);
    if (planned[h].empty()) plan.hosts.push_back(request.topology.hosts[h].name);
    const auto id = request.host_ids.find(request.topology.hosts[h].name);
    if (id != request.host_ids.end()) plan.host_ids.insert(*id);
    planned[h].push_back(place.seat.gpu);
    ++sharing[{place.seat.host, place.affinity.cpus.to_list()}];
  }
  const HostShares shares = shares_of(request, planned);
  // torchrun's group: the ranks of a host, or of a host those that share its devices.
  std::map<std::pair<int, int>, int> group_number;
  for (const mapping::RankPlace& place : placement) {
    const DeviceShare& share = shares.of(place);
    group_number.try_emplace({place.seat.host, share.group}, static_cast<int>(group_number.size()));
  }
  for (const mapping::RankPlace& place : placement) {
    const auto h = static_cast<std::size_t>(place.seat.host);
    const DeviceShare& share = shares.of(place);
    RankPlan rank = place_of(request, place);
    rank.local_rank = share.local_rank;
    rank.group_rank = group_number.at({place.seat.host, share.group});
    rank.gpu_instance = share.instance;
    RankSurroundings around;
    around.run_id = plan.id;
    around.world_size = static_cast<int>(placement.size());
    around.local_world_size = share.group_size;
    around.group_world_size = static_cast<int>(group_number.size());
    around.master_address = plan.master_address;
    around.master_port = plan.master_port;
    around.leaf = leaf_name(request.topology, place.seat.host);
    if (planned[h].size() > 1) {
      around.threads = threads_for(request.topology.hosts[h], rank.cpus,
                                   sharing[{place.seat.host, rank.cpus.to_list()}]);
    }
    if (rank.gpu_index >= 0) {
      around.has_devices = true;
      around.pci_order = shares.visible[h].indices;
      around.visible_devices = share.devices;
    }
    for (const mapping::Dimension& dimension : request.graph.dimensions) {
      around.coordinates.emplace_back(dimension.name + "_rank",
                                      mapping::coordinate(dimension, place.rank));
      around.coordinates.emplace_back(dimension.name + "_size", dimension.size);
    }
    rank.environment = rank_environment(rank, around, request.environment);
    plan.ranks.push_back(std::move(rank));
  }
  return plan;
}

}  // namespace topolaunch::launcher
