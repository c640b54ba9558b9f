// SPDX-License-Identifier: Apache-2.0
#include "mapping/crossings.h"

#include <algorithm>
#include <optional>

#include "mapping/index.h"
#include "mapping/levels.h"

namespace topolaunch::mapping {
namespace {

/// Outermost level whose boundary the group crosses, from 1; 0 = inside a host; nothing if not
/// known.
std::optional<int> place_of(const Group& group, const std::vector<Seat>& seats,
                            const Levels& levels) {
  const auto host = [&](int rank) { return ix(rank) < seats.size() ? seats[ix(rank)].host : -1; };
  const int first = host(group.members.front());
  int crossed = 0;
  for (const int rank : group.members) {
    if (host(rank) < 0) return std::nullopt;
    if (host(rank) != first) crossed = std::max(crossed, 1 + levels.crossing(first, host(rank)));
  }
  return crossed;
}

}  // namespace

std::vector<Crossing> crossings(const topo::Topology& topology, const RankGraph& graph,
                                const std::vector<Seat>& given, const std::vector<Seat>& solved) {
  const auto levels = fabric_levels(topology);
  std::vector<Crossing> result;
  for (const auto& group : graph.groups) {
    if (group.members.size() < 2) continue;
    auto at = std::find_if(result.begin(), result.end(),
                           [&](const Crossing& c) { return c.dimension == group.dimension; });
    if (at != result.end() && at->collective != group.collective) continue;  // the same ranks once more
    if (at == result.end()) {
      at = result.insert(result.end(), Crossing{group.dimension, group.collective, 0, 0, {}});
      at->places.push_back({"inside a host", 0, 0});
      for (const auto& level : levels.levels) at->places.push_back({"cross " + level.name, 0, 0});
    }
    ++at->groups;
    at->members = std::max(at->members, count_of(group.members));
    if (const auto place = place_of(group, given, levels)) ++at->places[ix(*place)].given;
    if (const auto place = place_of(group, solved, levels)) ++at->places[ix(*place)].solved;
  }
  for (auto& crossing : result)
    std::erase_if(crossing.places,
                  [](const Crossing::Place& p) { return p.given == 0 && p.solved == 0; });
  return result;
}

}  // namespace topolaunch::mapping
