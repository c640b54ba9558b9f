// SPDX-License-Identifier: Apache-2.0
#include "launcher/placement_file.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "launcher/json_fields.h"
#include "launcher/run_directory.h"

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

std::vector<mapping::Seat> seats_of(const std::vector<PlacedRank>& placed,
                                    const topo::Topology& topology) {
  std::map<std::string, int> number;
  for (std::size_t h = 0; h < topology.hosts.size(); ++h)
    number.emplace(topology.hosts[h].name, static_cast<int>(h));
  std::vector<mapping::Seat> seats;
  for (const PlacedRank& place : placed) {
    mapping::Seat seat{-1, place.gpu_index,
                       place.gpu_index >= 0 ? place.gpu_index : place.local_rank};
    const auto at = number.find(place.host);
    if (at != number.end()) {
      const auto& gpus = topology.hosts[static_cast<std::size_t>(at->second)].gpus;
      if (place.gpu_index < static_cast<int>(gpus.size()) && (place.gpu_index >= 0 || gpus.empty()))
        seat.host = at->second;
    }
    seats.push_back(seat);
  }
  return seats;
}

}  // namespace topolaunch::launcher
