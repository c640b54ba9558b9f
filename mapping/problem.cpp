// SPDX-License-Identifier: Apache-2.0
#include "mapping/problem.h"

#include <utility>

#include "mapping/block_choice.h"
#include "mapping/pins.h"
#include "mapping/solver/host_clusters.h"

namespace topolaunch::mapping {

Result<Problem> Problem::make(const topo::Topology& topology, const RankGraph& graph, const Constraints& asked) {
  auto rules = Rules::make(topology, graph, asked);
  if (!rules) {
    // What is wrong with the seats comes first.
    const auto pool = seat_pool(topology, asked);
    return fail(pool ? rules.error() : pool.error());
  }
  auto chosen = choose_blocks(topology, asked, *rules);
  if (!chosen) return fail(chosen.error());
  auto pinned = asked.pins.empty() ? std::vector<int>() : pinned_by_host(topology, asked);
  auto nesting = topology.fabric.host_distances.empty() ? rules->levels() : clusters_by_distance(topology);
  return Problem{topology, graph, std::move(chosen->constraints), std::move(chosen->pool), std::move(*rules),
                 CostModel(topology, graph), std::move(chosen->start), std::move(pinned), std::move(nesting)};
}

std::string Problem::fault(const std::vector<Seat>& seats) const {
  auto fault = placement_fault(topology, pool, constraints, seats);
  return fault.empty() ? rules.fault(seats) : fault;
}

std::vector<Seat> Problem::on_pins(std::vector<Seat> seats) const {
  move_blocks_to_pins(topology, rules.levels(), pool, constraints, seats);
  return seats;
}

}  // namespace topolaunch::mapping
