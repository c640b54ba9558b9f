// SPDX-License-Identifier: Apache-2.0
#include "launcher/placement_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "launcher/json_fields.h"
#include "launcher/run_directory.h"
#include "mapping/seat_count.h"
#include "mapping/seats.h"

namespace topolaunch::launcher {
namespace {

constexpr int kMaxRanks = 1 << 24;

}  // namespace

Result<std::vector<PlacedRank>> placement_from_text(std::string_view text,
                                                    const std::string& file) {
  auto json = parse_json(text, file);
  if (!json) return fail(std::move(json).error());
  JsonFields top(*json, file, "");
  const std::string schema = json->is_object() ? top.text_or("schema", "") : "";
  const bool plan = schema == "topolaunch.plan/1";
  if (!plan && schema != "topolaunch.map/1" && schema != "topolaunch.placement/1") {
    return fail(Error{Code::invalid_input,
                      schema.empty() ? "it has no \"schema\""
                                     : fmt::format("schema '{}' holds no placement", schema),
                      "give a run's plan.json, or what topolaunch map --json printed", file, 0});
  }
  const char* const key = plan ? "ranks" : "placement";
  const Json* const list = top.array(key);
  if (list == nullptr) return fail(*top.error());
  if (const int ranks = plan ? 0 : top.integer_or("ranks", 0, kMaxRanks, 0);
      ranks > 0 && static_cast<std::size_t>(ranks) != list->size()) {
    return fail(Error{Code::invalid_input,
                      fmt::format("it says {} ranks, and {} holds {}", ranks, key, list->size()),
                      "make the plan anew: topolaunch map --json >FILE", file, 0});
  }
  std::vector<PlacedRank> placed(list->size());
  std::vector<bool> seen(list->size(), false);
  for (std::size_t i = 0; i < list->size(); ++i) {
    JsonFields one((*list)[i], file, fmt::format("{}[{}]", key, i));
    const int rank = one.integer("rank", 0, kMaxRanks);
    PlacedRank place;
    place.host = one.text("host");
    if (one.has("gpu_index") && !(*list)[i]["gpu_index"].is_null()) {
      place.gpu_index = one.integer("gpu_index", -1, kMaxRanks);
    }
    place.local_rank = one.integer_or("local_rank", 0, kMaxRanks, 0);
    if (one.error()) return fail(*one.error());
    const auto r = static_cast<std::size_t>(rank);
    if (r >= list->size() || seen[r]) {
      return fail(Error{Code::invalid_input,
                        fmt::format("{}[{}]: rank {} {}", key, i, rank,
                                    r >= list->size() ? fmt::format("of {} ranks", list->size())
                                                      : "stands there twice"),
                        {},
                        file,
                        0});
    }
    seen[r] = true;
    placed[r] = std::move(place);
  }
  return placed;
}

namespace {

struct PlanText {
  std::string file, text;
};

Result<PlanText> read_text(const std::string& plan, const Outside& outside) {
  std::string file = plan;
  // A file of that name, else a run: its id, the beginning of it, or its folder.
  if (plan == "last" || !outside.files.exists(plan) || outside.files.list(plan)) {
    auto folder = find_run(plan, outside);
    if (!folder) return fail(std::move(folder).error());
    file = *folder + "/plan.json";
  }
  auto text = outside.files.read(file);
  if (!text) {
    Error error = std::move(text).error();
    error.code = Code::invalid_input;
    return fail(std::move(error));
  }
  return PlanText{std::move(file), std::move(*text)};
}

}  // namespace

Result<std::vector<PlacedRank>> read_placement(const std::string& plan, const Outside& outside) {
  auto read = read_text(plan, outside);
  if (!read) return fail(std::move(read).error());
  return placement_from_text(read->text, read->file);
}

Result<Workload> read_workload(const std::string& plan, const Outside& outside) {
  auto read = read_text(plan, outside);
  if (!read) return fail(std::move(read).error());
  auto json = parse_json(read->text, read->file);
  if (!json) return fail(std::move(json).error());
  JsonFields top(*json, read->file, "");
  const bool is_plan = top.text_or("schema", "") == "topolaunch.plan/1";
  // What map prints says in words what the workload is.
  auto kept = top.text_map_or_empty(is_plan ? "workload" : "workload_options");
  if (top.error()) return fail(*top.error());
  return kept;
}

namespace {

/// What takes ranks: a GPU, or a seat on a host without any.
struct Place {
  std::vector<int> slots;  ///< that the job's seats have there
  int most = 1;            ///< ranks
  int first = 0, ranks = 0;
  int next_slot(int otherwise) const {
    constexpr int kNoSeat = 1 << 28;
    const auto n = static_cast<std::size_t>(ranks);
    return n < slots.size() ? slots[n] : ranks == 0 ? otherwise : kNoSeat + ranks;
  }
};
/// By host, GPU, and seat where there is no GPU.
using Places = std::map<std::tuple<int, int, int>, Place>;

/// Ranks that a host's GPU takes where nobody asked for more.
int takes(const topo::Topology& topology, const mapping::Constraints& constraints, int host,
          int gpu) {
  const auto said = constraints.ranks_on_gpu.find({host, gpu});
  if (said != constraints.ranks_on_gpu.end()) return said->second;
  const auto& gpus = topology.hosts[static_cast<std::size_t>(host)].gpus;
  return std::max(1, mapping::seats_of(gpus[static_cast<std::size_t>(gpu)]));
}

Places places_of(const topo::Topology& topology, const mapping::Constraints& constraints,
                 const mapping::SeatPool& pool) {
  Places places;
  for (int h = 0; h < static_cast<int>(topology.hosts.size()); ++h) {
    const auto gpus = static_cast<int>(topology.hosts[static_cast<std::size_t>(h)].gpus.size());
    for (int g = 0; g < gpus; ++g) places[{h, g, 0}].most = takes(topology, constraints, h, g);
  }
  for (const mapping::Seat& seat : pool.seats) {
    Place& place = places[{seat.host, seat.gpu, seat.gpu < 0 ? seat.slot : 0}];
    place.slots.push_back(seat.slot);
    place.most = std::max(place.most, static_cast<int>(place.slots.size()));
  }
  return places;
}

}  // namespace

Result<std::vector<mapping::Seat>> seats_of(const std::vector<PlacedRank>& placed,
                                            const std::string& file, const topo::Topology& topology,
                                            const mapping::Constraints& constraints,
                                            bool oversubscribe) {
  const auto pool = mapping::seat_pool(topology, constraints);
  if (!pool) return fail(pool.error());
  std::map<std::string, int> number;
  for (std::size_t h = 0; h < topology.hosts.size(); ++h)
    number.emplace(topology.hosts[h].name, static_cast<int>(h));
  Places places = places_of(topology, constraints, *pool);
  std::vector<mapping::Seat> seats;
  for (const PlacedRank& placed_rank : placed) {
    const int rank = static_cast<int>(seats.size()), gpu = placed_rank.gpu_index;
    const int own = gpu < 0 ? placed_rank.local_rank : 0;
    mapping::Seat& seat = seats.emplace_back(mapping::Seat{-1, gpu, gpu < 0 ? own : gpu});
    const auto at = number.find(placed_rank.host);
    if (at == number.end()) continue;
    const auto& gpus = topology.hosts[static_cast<std::size_t>(at->second)].gpus;
    if (gpu >= static_cast<int>(gpus.size()) || (gpu < 0 && !gpus.empty())) continue;
    seat.host = at->second;
    Place& place = places[{seat.host, gpu, own}];
    seat.slot = place.next_slot(seat.slot);
    if (place.ranks == 0) place.first = rank;
    if (++place.ranks <= place.most || oversubscribe) continue;
    return fail(Error{Code::invalid_input,
                      fmt::format("ranks {} and {} are both on {} {} of {}", place.first, rank,
                                  gpu < 0 ? "seat" : "GPU", gpu < 0 ? own : gpu, placed_rank.host),
                      "make the plan anew, or --oversubscribe where ranks are to share GPUs", file,
                      0});
  }
  return seats;
}

}  // namespace topolaunch::launcher
