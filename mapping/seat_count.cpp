// SPDX-License-Identifier: Apache-2.0
#include "mapping/seat_count.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "mapping/index.h"

namespace topolaunch::mapping {

int seats_of(const topo::Gpu& gpu) { return gpu.mig_enabled ? count_of(gpu.mig) : 1; }

int default_slots(const topo::Host& host) {
  if (host.slots > 0) return host.slots;
  if (host.gpus.empty()) return std::max(1, host.allowed_cpus.size());
  int seats = 0;
  for (const topo::Gpu& gpu : host.gpus) seats += seats_of(gpu);
  return seats;
}

std::vector<int> gpu_seats(const topo::Topology& topology, const Constraints& constraints,
                           int host) {
  std::vector<int> seats;
  const std::vector<topo::Gpu>& gpus = topology.hosts[ix(host)].gpus;
  for (int g = 0; g < count_of(gpus); ++g) {
    if (std::ranges::find(constraints.excluded_gpus, std::pair(host, g)) !=
        constraints.excluded_gpus.end()) {
      continue;
    }
    const auto said = constraints.ranks_on_gpu.find({host, g});
    seats.insert(seats.end(),
                 ix(said != constraints.ranks_on_gpu.end() ? said->second : seats_of(gpus[ix(g)])),
                 g);
  }
  return seats;
}

std::vector<int> free_seats(const topo::Topology& topology, const Constraints& constraints) {
  const std::set<std::string> excluded(constraints.excluded_hosts.begin(),
                                       constraints.excluded_hosts.end());
  std::vector<int> seats;
  for (int h = 0; h < count_of(topology.hosts); ++h) {
    const topo::Host& host = topology.hosts[ix(h)];
    int here = 0;
    if (!excluded.contains(host.name)) {
      here =
          host.gpus.empty() ? default_slots(host) : count_of(gpu_seats(topology, constraints, h));
    }
    seats.push_back(here);
  }
  return seats;
}

std::vector<int> shared_slots(const std::vector<int>& free, int ranks) {
  const int seats = std::accumulate(free.begin(), free.end(), 0);
  if (seats == 0 || ranks <= seats) return {};
  std::vector<int> slots;
  int rest = ranks % seats;
  for (const int here : free) {
    const int more = std::min(here, rest);
    rest -= more;
    slots.push_back(here * (ranks / seats) + more);
  }
  return slots;
}

}  // namespace topolaunch::mapping
