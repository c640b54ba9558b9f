// SPDX-License-Identifier: Apache-2.0
#include "launcher/rank_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "base/lower_case.h"
#include "mapping/parallel.h"

namespace topolaunch::launcher {
namespace {

using mapping::Dimension;
using topo::draw::Ranks;

Status colour(Ranks& ranks, const std::vector<Dimension>& dimensions, const std::string& wanted) {
  if (dimensions.empty() && wanted.empty()) return {};
  const auto found =
      wanted.empty() ? dimensions.begin() : std::ranges::find(dimensions, wanted, &Dimension::name);
  if (found == dimensions.end()) {
    std::string names;
    for (const Dimension& one : dimensions) names += (names.empty() ? "" : ", ") + one.name;
    return fail(Code::wrong_usage,
                fmt::format("this job has no groups called '{}' with more than one rank", wanted),
                names.empty() ? "name them with --parallel" : "it has: " + names);
  }
  ranks.dimension = found->name;
  // A group is known by its lowest rank: the one whose coordinate is 0.
  std::map<int, int> number;
  for (const auto& one : ranks.placed) {
    number.emplace(one.rank - mapping::coordinate(*found, one.rank) * found->stride, 0);
  }
  for (auto& [first, index] : number) {
    index = static_cast<int>(ranks.groups.size());
    ranks.groups.push_back(fmt::format("{} {}", found->name, index));
  }
  for (auto& one : ranks.placed) {
    one.group = number[one.rank - mapping::coordinate(*found, one.rank) * found->stride];
  }
  return {};
}

std::optional<int> number_in(const RankPlan& rank, const std::string& name) {
  const auto found = rank.environment.find(name);
  if (found == rank.environment.end()) return {};
  int value = 0;
  const char* const end = found->second.data() + found->second.size();
  const auto [stop, error] = std::from_chars(found->second.data(), end, value);
  if (error != std::errc{} || stop != end) return {};
  return value;
}

}  // namespace

std::vector<Dimension> dimensions_of(const Plan& plan) {
  constexpr std::string_view kPrefix = "TOPOLAUNCH_", kSuffix = "_SIZE";
  std::vector<Dimension> out;
  if (plan.ranks.empty()) return out;
  for (const auto& [name, value] : plan.ranks.front().environment) {
    if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) continue;
    const std::string stem = name.substr(0, name.size() - kSuffix.size());
    Dimension dimension;
    dimension.size = number_in(plan.ranks.front(), name).value_or(0);
    dimension.name = lower_case(stem.substr(kPrefix.size()));
    // The first rank that is one further on this axis alone is as far away as the stride says.
    const auto next = std::ranges::find_if(
        plan.ranks, [&](const RankPlan& rank) { return number_in(rank, stem + "_RANK") == 1; });
    if (dimension.size < 2 || next == plan.ranks.end() || next->rank < 1) continue;
    dimension.stride = next->rank;
    out.push_back(std::move(dimension));
  }
  std::ranges::stable_sort(out, {}, &Dimension::stride);
  return out;
}

Result<Ranks> ranks_of(const topo::Topology& topology, const mapping::RankGraph& graph,
                       const mapping::Solution& solution, const std::string& dimension) {
  Ranks ranks;
  for (const mapping::RankPlace& place : solution.placement) {
    const auto host = static_cast<std::size_t>(place.seat.host);
    ranks.placed.push_back({place.rank, topology.hosts[host].name, place.seat.gpu, 0});
  }
  std::vector<Dimension> dimensions = graph.dimensions;
  std::erase_if(dimensions, [](const Dimension& one) { return one.size < 2; });
  std::ranges::stable_sort(dimensions, {}, &Dimension::stride);
  if (auto coloured = colour(ranks, dimensions, dimension); !coloured) {
    return fail(std::move(coloured).error());
  }
  return ranks;
}

Result<Ranks> ranks_of(const Plan& plan, const std::string& dimension) {
  Ranks ranks;
  for (const RankPlan& rank : plan.ranks) {
    ranks.placed.push_back({rank.rank, rank.host, rank.gpu_index, 0});
  }
  if (auto coloured = colour(ranks, dimensions_of(plan), dimension); !coloured) {
    return fail(std::move(coloured).error());
  }
  return ranks;
}

Status belong_together(const topo::Topology& topology, const Ranks& ranks) {
  std::map<std::string_view, std::size_t> gpus;
  for (const topo::Host& host : topology.hosts) gpus[host.name] = host.gpus.size();
  for (const auto& one : ranks.placed) {
    const auto host = gpus.find(one.host);
    const bool there =
        host != gpus.end() && (one.gpu < 0 || static_cast<std::size_t>(one.gpu) < host->second);
    if (there) continue;
    const std::string where = one.gpu < 0 ? one.host : fmt::format("{} GPU {}", one.host, one.gpu);
    return fail(Code::invalid_input,
                fmt::format("rank {} of the plan is on {}, which the topology does not have",
                            one.rank, where),
                "give the topology that the plan was made for");
  }
  return {};
}

}  // namespace topolaunch::launcher
