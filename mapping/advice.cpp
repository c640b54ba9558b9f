// SPDX-License-Identifier: Apache-2.0
#include "mapping/advice.h"

#include <fmt/format.h>

#include <algorithm>

#include "mapping/cost.h"
#include "mapping/index.h"
#include "mapping/levels.h"

namespace topolaunch::mapping {

std::vector<Advice> advices(const topo::Topology& topology, const RankGraph& graph,
                            const Solution& solution) {
  const double now = solution.solution.seconds.count();
  if (now <= 0) return {};
  std::vector<Seat> seats;
  for (const auto& place : solution.placement) seats.push_back(place.seat);
  std::vector<Advice> result;
  const auto attempt = [&](std::string what, const topo::Topology& machine, const RankGraph& job) {
    const double then = CostModel(machine, job).score(seats).seconds;
    if (then > 0 && then < 0.98 * now) result.push_back({std::move(what), Seconds(then)});
  };

  auto machine = topology;
  int changed = 0;
  for (auto& host : machine.hosts)
    for (auto& gpu : host.gpus)
      for (auto& link : gpu.links) link.count *= 2, link.bandwidth = link.bandwidth * 2, ++changed;
  if (changed > 0) attempt("NVLink twice as fast", machine, graph);

  machine = topology;
  machine.fabric.host_rate = machine.fabric.host_rate * 2;
  for (auto& host : machine.hosts)
    for (auto& nic : host.nics) nic.rate = nic.rate * 2;
  if (topology.hosts.size() > 1) attempt("NICs twice as fast", machine, graph);

  int top = -1;
  for (const auto& sw : topology.fabric.switches)
    if (sw.uplink.known()) top = std::max(top, sw.level);
  const auto& names = topology.fabric.level_names;
  for (int l = 0; l <= top; ++l) {
    machine = topology;
    for (auto& sw : machine.fabric.switches)
      if (sw.level == l) sw.uplink = sw.uplink * 2;
    attempt(fmt::format("{} uplinks twice as fast",
                        l < count_of(names) ? names[ix(l)] : fmt::format("level {}", l)),
            machine, graph);
  }

  const PhaseTime* longest = nullptr;
  for (const auto& phase : solution.solution.phases)
    if (!phase.overlapped && (longest == nullptr || phase.seconds > longest->seconds))
      longest = &phase;
  if (longest != nullptr && solution.solution.phases.size() > 1) {
    auto job = graph;
    for (auto& group : job.groups)
      if (group.dimension == longest->dimension) group.overlapped = true;
    attempt(fmt::format("{} hidden behind compute or another phase", longest->dimension), topology,
            job);
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const Advice& a, const Advice& b) { return a.seconds < b.seconds; });
  if (result.size() > 3) result.resize(3);
  return result;
}

}  // namespace topolaunch::mapping
