// SPDX-License-Identifier: Apache-2.0
#include "launcher/place_ranks.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "mapping/cost.h"
#include "mapping/solver.h"

namespace topolaunch::launcher {
namespace {

/// Visible GPUs in their order, then those that are hidden: new place -> number in PCI order.
std::vector<int> gpu_order(const topo::Host& host, const VisibleGpus& visible) {
  std::vector<int> order;
  for (const VisibleDevice& device : visible.devices) {
    if (std::ranges::find(order, device.gpu) == order.end()) order.push_back(device.gpu);
  }
  const std::vector<int> hidden = visible.hidden(host);
  order.insert(order.end(), hidden.begin(), hidden.end());
  return order;
}

std::vector<int> inverse(const std::vector<int>& order) {
  std::vector<int> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
  }
  return place;
}

/// The constraints in the new numbers; GPUs that are not there stay as they were said.
mapping::Constraints renumbered(mapping::Constraints constraints, const std::string& host,
                                const std::vector<int>& place) {
  const auto renumber = [&](int& gpu) {
    if (gpu >= 0 && static_cast<std::size_t>(gpu) < place.size()) {
      gpu = place[static_cast<std::size_t>(gpu)];
    }
  };
  for (mapping::Constraints::Pin& pin : constraints.pins) {
    if (pin.host == host) renumber(pin.gpu);
  }
  for (auto& [at, gpu] : constraints.excluded_gpus) {
    if (at == 0) renumber(gpu);
  }
  std::map<std::pair<int, int>, int> ranks_on_gpu;
  for (const auto& [key, ranks] : constraints.ranks_on_gpu) {
    auto [at, gpu] = key;
    if (at == 0) renumber(gpu);
    ranks_on_gpu[{at, gpu}] = ranks;
  }
  constraints.ranks_on_gpu = std::move(ranks_on_gpu);
  return constraints;
}

}  // namespace

topo::Host with_gpu_order(const topo::Host& host, const std::vector<int>& order) {
  topo::Host out = host;
  const std::vector<int> place = inverse(order);
  for (std::size_t i = 0; i < order.size(); ++i) {
    topo::Gpu& gpu = out.gpus[i];
    gpu = host.gpus[static_cast<std::size_t>(order[i])];
    gpu.index = static_cast<int>(i);
    for (topo::GpuLink& link : gpu.links) {
      if (link.to == topo::GpuLink::To::gpu && link.peer >= 0 &&
          static_cast<std::size_t>(link.peer) < place.size()) {
        link.peer = place[static_cast<std::size_t>(link.peer)];
      }
    }
  }
  for (std::size_t i = 0; i < host.p2p.size() && i < order.size(); ++i) {
    for (std::size_t j = 0; j < host.p2p[i].size() && j < order.size(); ++j) {
      out.p2p[i][j] = host.p2p[static_cast<std::size_t>(order[i])][static_cast<std::size_t>(order[j])];
    }
  }
  return out;
}

Result<mapping::Solution> place_ranks(const topo::Topology& topology, const VisibleGpus* visible,
                                      const JobModel& model) {
  if (visible == nullptr || topology.hosts.front().gpus.empty()) {
    return mapping::solve(topology, model.graph, model.constraints, model.solver.get());
  }
  const topo::Host& host = topology.hosts.front();
  const std::vector<int> order = gpu_order(host, *visible);
  if (std::ranges::is_sorted(order) || order.size() != host.gpus.size()) {
    return mapping::solve(topology, model.graph, model.constraints, model.solver.get());
  }
  topo::Topology given = topology;
  given.hosts.front() = with_gpu_order(host, order);
  auto solution = mapping::solve(given, model.graph,
                                 renumbered(model.constraints, host.name, inverse(order)),
                                 model.solver.get());
  if (!solution) return solution;
  std::vector<mapping::Seat> seats;
  for (mapping::RankPlace& place : solution->placement) {
    if (place.seat.host == 0 && place.seat.gpu >= 0) {
      const bool own_slot = place.seat.slot == place.seat.gpu;
      place.seat.gpu = order[static_cast<std::size_t>(place.seat.gpu)];
      if (own_slot) place.seat.slot = place.seat.gpu;
    }
    seats.push_back(place.seat);
  }
  // Once more with PCI numbers, so that links are called by the names that everybody else uses.
  const Seconds seconds = solution->solution.seconds;
  solution->solution = mapping::evaluate(topology, model.graph, seats);
  solution->solution.seconds = seconds;
  return solution;
}

Result<PlacedJob> place_job(const HostMachine& machine, const VisibleGpus& visible,
                            const JobOptions& job, const Outside& outside) {
  const auto* const hosts = machine.hosts.empty() ? nullptr : &machine.hosts;
  auto model = model_job(job, {machine.topology, &visible, 0, hosts}, outside);
  if (!model) return fail(std::move(model).error());
  auto solution = place_ranks(machine.topology, &visible, *model);
  if (!solution) {
    Error error = std::move(solution).error();
    if (error.next.starts_with("use -n")) error.next += ", or --oversubscribe to share seats";
    return fail(std::move(error));
  }
  return PlacedJob{std::move(*model), std::move(*solution)};
}

}  // namespace topolaunch::launcher
