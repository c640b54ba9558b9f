// SPDX-License-Identifier: Apache-2.0
#include "mapping/placement_rows.h"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "mapping/index.h"
#include "mapping/parallel.h"

namespace topolaunch::mapping {
namespace {

const topo::Gpu* gpu_of(const topo::Topology& topology, const RankPlace& place) {
  return place.seat.gpu < 0 ? nullptr
                            : &topology.hosts[ix(place.seat.host)].gpus[ix(place.seat.gpu)];
}

void set_gpu(const topo::Gpu* gpu, Json& json) {
  json["gpu"] = gpu != nullptr && gpu->pci ? Json(gpu->pci->text()) : Json(nullptr);
  json["gpu_index"] = gpu != nullptr ? Json(gpu->index) : Json(nullptr);
  json["gpu_uuid"] = gpu != nullptr && !gpu->uuid.empty() ? Json(gpu->uuid) : Json(nullptr);
}

void set_affinity(const Affinity& affinity, Json& json) {
  json["numa"] = affinity.numa ? Json(*affinity.numa) : Json(nullptr);
  json["cpus"] = affinity.cpus.to_list();
  json["memory_nodes"] = affinity.memory_nodes;
  json["nics"] = affinity.nics;
  if (!affinity.note.empty()) json["note"] = affinity.note;
}

bool same(const Affinity& a, const Affinity& b) {
  return a.numa == b.numa && a.cpus == b.cpus && a.memory_nodes == b.memory_nodes &&
         a.nics == b.nics && a.note == b.note;
}

std::string members(const Json& json) {
  const auto text = to_line(json);
  return text.substr(1, text.size() - 2);
}

}  // namespace

Json place_json(const topo::Topology& topology, const RankGraph& graph, const RankPlace& place) {
  Json json;
  json["rank"] = place.rank;
  json["host"] = topology.hosts[ix(place.seat.host)].name;
  set_gpu(gpu_of(topology, place), json);
  json["local_rank"] = place.local_rank;
  set_affinity(place.affinity, json);
  for (const auto& dimension : graph.dimensions)
    json["coordinates"][dimension.name] = coordinate(dimension, place.rank);
  return json;
}

const PlacementRows::Known& PlacementRows::known(const RankPlace& place) {
  const auto slot = ix(place.seat.slot);
  if (by_slot_.size() <= slot) by_slot_.resize(slot + 1);
  auto& known = by_slot_[slot];
  static const topo::Gpu kNone;
  const auto* own = gpu_of(topology_, place);
  const auto& gpu = own != nullptr ? *own : kNone;
  if (known.filled && known.gpu.index == gpu.index && known.gpu.pci == gpu.pci &&
      known.gpu.uuid == gpu.uuid && same(known.affinity, place.affinity))
    return known;
  Json gpu_json, affinity_json;
  set_gpu(own, gpu_json);
  set_affinity(place.affinity, affinity_json);
  known = {true, gpu, place.affinity, members(gpu_json), members(affinity_json)};
  return known;
}

void PlacementRows::append(const RankPlace& place, std::string& out) {
  if (place.seat.host != host_) {
    host_ = place.seat.host;
    host_text_ = to_line(Json(topology_.hosts[ix(host_)].name));
  }
  const auto& text = known(place);
  auto end = std::back_inserter(out);
  fmt::format_to(end, R"({{"rank":{},"host":{},{},"local_rank":{},{})", place.rank, host_text_,
                 text.gpu_text, place.local_rank, text.affinity_text);
  for (std::size_t d = 0; d < graph_.dimensions.size(); ++d) {
    const auto& dimension = graph_.dimensions[d];
    fmt::format_to(end, R"({}"{}":{})", d == 0 ? R"(,"coordinates":{)" : ",", dimension.name,
                   coordinate(dimension, place.rank));
  }
  out += graph_.dimensions.empty() ? "}" : "}}";
}

}  // namespace topolaunch::mapping
