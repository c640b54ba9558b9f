// SPDX-License-Identifier: Apache-2.0
#include "launcher/report/page/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "launcher/report/page/json_look.h"
#include "launcher/validate.h"
#include "mapping/cost.h"
#include "mapping/patterns.h"

namespace topolaunch::launcher::page {
namespace {

constexpr std::size_t kMostRows = 64;  ///< of a heat map; more ranks are shown host by host
constexpr std::size_t kMostRanks = 8192;

const Json& member(const Json& json, const char* name) { return at(json, {name}); }
double number(const Json& json, const char* name) { return number_at(json, {name}); }
std::string text(const Json& json, const char* name) { return text_at(json, {name}); }

/// Seats of the plan in the saved topology; empty if one is not there.
std::vector<mapping::Seat> seats_of(const SavedRun& run) {
  std::map<std::string_view, int> index;
  for (std::size_t i = 0; i < run.topology->hosts.size(); ++i) {
    index.emplace(run.topology->hosts[i].name, static_cast<int>(i));
  }
  std::vector<mapping::Seat> seats(run.plan.ranks.size());
  for (const RankPlan& rank : run.plan.ranks) {
    const auto host = index.find(rank.host);
    const bool placed =
        host != index.end() && rank.rank >= 0 && static_cast<std::size_t>(rank.rank) < seats.size();
    if (!placed) return {};
    const auto& gpus = run.topology->hosts[static_cast<std::size_t>(host->second)].gpus;
    if (rank.gpu_index >= static_cast<int>(gpus.size())) return {};
    seats[static_cast<std::size_t>(rank.rank)] = {
        host->second, rank.gpu_index, rank.gpu_index >= 0 ? rank.gpu_index : rank.local_rank};
  }
  return seats;
}

bool has_gpus(const Plan& plan) {
  return std::ranges::any_of(plan.ranks, [](const RankPlan& rank) { return rank.gpu_index >= 0; });
}

std::vector<std::vector<double>> rows_of(const Json& matrix, std::size_t n) {
  std::vector<std::vector<double>> rows;
  if (!matrix.is_array() || matrix.size() != n) return rows;
  for (const Json& row : matrix) {
    if (!row.is_array() || row.size() != n) return {};
    std::vector<double> values;
    for (const Json& one : row) {
      values.push_back(one.is_number() && one.get<double>() > 0 ? one.get<double>() : std::nan(""));
    }
    rows.push_back(std::move(values));
  }
  return rows;
}

}  // namespace

Series estimate_series(const SavedRun& run) {
  Series out;
  if (!run.measurement || !run.topology || run.measurement->collective != "allreduce") return out;
  // A CPU figure is never held against a GPU estimate.
  if (has_gpus(run.plan) != measured_on_gpus(*run.measurement)) return out;
  const std::vector<mapping::Seat> seats = seats_of(run);
  if (seats.size() < 2) return out;
  const int ranks = static_cast<int>(seats.size());
  for (const bench::SizeResult& result : run.measurement->results) {
    const auto graph = mapping::world_allreduce(ranks, Bytes(result.size));
    const mapping::Estimate estimate = mapping::evaluate(*run.topology, graph, seats);
    if (estimate.seconds.count() <= 0) continue;
    out.name = "estimate (" + estimate.model + ")";
    out.points.emplace_back(result.size, bench::algorithm_bandwidth(result.size, estimate.seconds) *
                                             bench::bus_factor("allreduce", ranks));
  }
  out.stroke = topo::draw::Stroke::dashed;
  out.marks = false;
  return out;
}

std::vector<Series> bandwidth_series(const SavedRun& run, const std::string& whose) {
  std::vector<Series> out;
  if (!run.measurement) return out;
  const bench::Measurement& measured = *run.measurement;
  const double factor = bench::bus_factor(measured.collective, measured.ranks);
  Series median{whose + "measured, median", topo::draw::Stroke::plain, true, {}};
  Series slow{whose + "measured, slowest 1 %", topo::draw::Stroke::dotted, false, {}};
  for (const bench::SizeResult& result : measured.results) {
    median.points.emplace_back(result.size, result.out_of_place.busbw);
    slow.points.emplace_back(
        result.size, bench::algorithm_bandwidth(result.size, result.out_of_place.p99) * factor);
  }
  out.push_back(std::move(median));
  if (std::ranges::any_of(slow.points, [](const auto& point) { return point.second > 0; })) {
    out.push_back(std::move(slow));
  }
  Series own{whose + "NCCL's own estimate", topo::draw::Stroke::dashed, true, {}};
  if (const Json& results = member(*run.raw_measurement, "results"); results.is_array()) {
    for (const Json& result : results) {
      const double seconds = number(result, "estimate_seconds");
      const auto size = whole(number(result, "size"));
      if (!(seconds > 0)) continue;
      own.points.emplace_back(size, bench::algorithm_bandwidth(size, Seconds(seconds)) * factor);
    }
  }
  if (!own.points.empty()) out.push_back(std::move(own));
  return out;
}

std::vector<NamedPairs> pair_matrices(const SavedRun& run) {
  std::vector<NamedPairs> out;
  const Json& pairs = member(*run.raw_measurement, "pairs");
  const Json& ranks = member(pairs, "ranks");
  if (!ranks.is_array() || ranks.empty() || ranks.size() > kMostRanks) return out;
  std::map<int, std::string> host_of;
  for (const RankPlan& rank : run.plan.ranks) host_of[rank.rank] = rank.host;
  std::vector<std::string> names, hosts;
  for (const Json& one : ranks) {
    const int rank = one.is_number_integer() ? one.get<int>() : -1;
    names.push_back(fmt::format("rank {}", rank));
    hosts.push_back(host_of.contains(rank) ? host_of[rank] : "unknown host");
  }
  const struct {
    const char* key;
    const char* name;
    bool latency;
  } kinds[] = {{"concurrent_bytes_per_second", "everybody at once", false},
               {"one_way_bytes_per_second", "one pair at a time, one way", false},
               {"both_ways_bytes_per_second", "one pair at a time, both ways", false},
               {"latency_seconds", "latency", true}};
  for (const auto& kind : kinds) {
    NamedPairs one{
        kind.name, {names, rows_of(member(pairs, kind.key), names.size()), kind.latency}, ""};
    if (one.pairs.values.empty()) continue;
    if (names.size() > kMostRows) {
      one.pairs = by_host(one.pairs, hosts);
      one.note = "host by host, the worst pair of each";
    }
    out.push_back(std::move(one));
  }
  return out;
}

std::vector<GroupTime> group_times(const SavedRun& run) {
  std::vector<GroupTime> out;
  const auto entry = [&out](const std::string& dimension) -> GroupTime& {
    const auto found = std::ranges::find(out, dimension, &GroupTime::dimension);
    if (found != out.end()) return *found;
    out.push_back({});
    out.back().dimension = dimension;
    return out.back();
  };
  const Json& phases = member(member(*run.manifest, "placement"), "phases");
  if (phases.is_array()) {
    for (const Json& phase : phases) {
      GroupTime& one = entry(text(phase, "dimension"));
      one.estimate = number(phase, "seconds");
      one.groups = small_whole(number(phase, "groups"));
      one.ranks = small_whole(number(phase, "ranks"));
      one.bytes = whole(number(phase, "bytes"));
    }
  }
  const Json& groups = member(*run.raw_measurement, "groups");
  if (!groups.is_array()) return out;
  struct Timed {
    double seconds;
    std::string who;
  };
  std::map<std::string, std::vector<Timed>> timed;
  for (const Json& group : groups) {
    const Json& results = member(group, "results");
    if (!results.is_array() || results.empty()) continue;
    const Json& last = results.back();  // sizes grow
    const double seconds = number(member(last, "out_of_place"), "p50_seconds");
    if (!(seconds > 0)) continue;
    const std::string axis = text(group, "axis");
    GroupTime& one = entry(axis);
    one.bytes = whole(number(last, "size"));
    one.ranks = static_cast<int>(member(group, "ranks").size());
    timed[axis].push_back({seconds, fmt::format("{} {:.0f}", axis, number(group, "index"))});
  }
  for (auto& [axis, all] : timed) {
    GroupTime& one = entry(axis);
    one.groups = static_cast<int>(all.size());
    std::ranges::sort(all, {}, &Timed::seconds);
    const double median = all[all.size() / 2].seconds;
    one.measured = all.back().seconds;
    if (one.measured > 1.25 * median) {
      one.slowest =
          fmt::format("{}, {:.2g} times the median", all.back().who, one.measured / median);
    }
  }
  return out;
}

}  // namespace topolaunch::launcher::page
