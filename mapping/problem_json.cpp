// SPDX-License-Identifier: Apache-2.0
#include "mapping/problem_json.h"

#include <map>
#include <nlohmann/json.hpp>

#include "mapping/index.h"
#include "topo/topology_json.h"

namespace topolaunch::mapping {
namespace {

const char* name_of(Collective collective) {
  switch (collective) {
    case Collective::allreduce:
      return "allreduce";
    case Collective::allgather:
      return "allgather";
    case Collective::reduce_scatter:
      return "reduce_scatter";
    case Collective::reduce_scatter_allgather:
      return "reduce_scatter_allgather";
    case Collective::alltoall:
      return "alltoall";
    case Collective::broadcast:
      return "broadcast";
    case Collective::path:
      return "path";
    case Collective::ring:
      return "ring";
  }
  return "";
}

}  // namespace

Json problem_json(const topo::Topology& topology, const RankGraph& graph,
                  const Constraints& constraints, const SeatPool& pool) {
  Json json;
  json["schema"] = "topolaunch.problem/1";
  json["topology"] = topo::to_json(topology);
  Json groups = Json::array(), edges = Json::array(), dimensions = Json::array();
  for (const auto& group : graph.groups) {
    groups.push_back({{"group", group.dimension},
                      {"collective", name_of(group.collective)},
                      {"bytes", group.bytes.count()},
                      {"overlapped", group.overlapped},
                      {"members", group.members}});
    if (group.wrap.count() > 0) groups.back()["wrap_bytes"] = group.wrap.count();
  }
  for (const auto& edge : graph.edges) edges.push_back(Json::array({edge.a, edge.b, edge.bytes}));
  for (const auto& dimension : graph.dimensions)
    dimensions.push_back(
        {{"name", dimension.name}, {"size", dimension.size}, {"stride", dimension.stride}});
  json["graph"] = {{"ranks", graph.ranks},
                   {"origin", graph.origin},
                   {"groups", std::move(groups)},
                   {"edges", std::move(edges)},
                   {"dimensions", std::move(dimensions)}};
  const auto seat_json = [&](const Seat& seat) {
    Json one;
    one["host"] = topology.hosts[ix(seat.host)].name;
    one["gpu_index"] = seat.gpu >= 0 ? Json(seat.gpu) : Json(nullptr);
    one["local_rank"] = seat.slot;
    return one;
  };
  Json seats = Json::array(), capacity = Json::object(), given = Json::array(),
       pins = Json::array();
  for (const auto& seat : pool.seats) seats.push_back(seat_json(seat));
  for (int h = 0; h < count_of(pool.capacity); ++h)
    if (pool.capacity[ix(h)] > 0) capacity[topology.hosts[ix(h)].name] = pool.capacity[ix(h)];
  for (const auto& seat : given_seats(topology, pool, constraints))
    given.push_back(seat_json(seat));
  for (const auto& pin : constraints.pins) {
    Json one{{"rank", pin.rank}, {"host", pin.host}};
    if (pin.gpu >= 0) one["gpu_index"] = pin.gpu;
    pins.push_back(std::move(one));
  }
  json["seats"] = std::move(seats);
  json["capacity"] = std::move(capacity);
  json["given"] = std::move(given);
  json["constraints"] = {{"pins", std::move(pins)},
                         {"affinity", constraints.affinity},
                         {"anti_affinity", constraints.anti_affinity}};
  json["objective"] = constraints.objective == Constraints::Objective::time ? "time" : "hop-bytes";
  json["seed"] = constraints.seed;
  return json;
}

}  // namespace topolaunch::mapping
