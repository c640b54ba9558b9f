// SPDX-License-Identifier: Apache-2.0
#include "mapping/phases.h"

#include <algorithm>

#include "mapping/cost.h"

namespace topolaunch::mapping {

std::vector<Phase> phases_of(const topo::Topology& topology, const RankGraph& graph,
                             const Solution& solution) {
  std::vector<Phase> out;
  for (const Group& group : graph.groups) {
    auto found = std::ranges::find(out, group.dimension, &Phase::dimension);
    if (found == out.end()) {
      out.push_back({group.dimension, group.collective, 0, 0, group.bytes, Seconds(0)});
      found = out.end() - 1;
    }
    if (group.collective == found->collective) ++found->groups;
    found->ranks = std::max(found->ranks, static_cast<int>(group.members.size()));
  }
  if (out.size() == 1 && graph.edges.empty()) {  // known already
    out.front().seconds = solution.solution.seconds;
    return out;
  }
  std::vector<Seat> seats;
  for (const RankPlace& place : solution.placement) seats.push_back(place.seat);
  for (Phase& phase : out) {
    RankGraph alone = graph;
    alone.edges.clear();
    std::erase_if(alone.groups,
                  [&](const Group& group) { return group.dimension != phase.dimension; });
    for (Group& group : alone.groups) group.overlapped = false;
    const CostModel model(topology, alone);
    if (!model.timed()) return {};
    phase.seconds = Seconds(model.score(seats).seconds);
  }
  return out;
}

}  // namespace topolaunch::mapping
