// SPDX-License-Identifier: Apache-2.0
#include "mapping/trace_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/counted.h"
#include "base/lower_case.h"
#include "mapping/index.h"

namespace topolaunch::mapping {
namespace {

constexpr std::int64_t kMaxBytes = std::int64_t{1} << 56;  ///< of one collective
constexpr std::int64_t kMaxSum = std::int64_t{1} << 60;

/// "TENSOR_MODEL_PARALLEL_GROUP" -> "tp".
std::string dimension_of(const std::string& said) {
  const auto text = lower_case(said);
  const auto has = [&](std::string_view part) { return text.find(part) != std::string::npos; };
  if (text.empty() || text == "default_pg" || text == "0") return "world";
  if (has("expert") && has("data")) return "edp";
  if (has("tensor")) return "tp";
  if (has("expert")) return "ep";
  if (has("pipeline")) return "pp";
  if (has("context")) return "cp";
  if (has("data") || text == "dp") return "dp";
  return text;
}

std::int64_t largest(const std::map<int, std::int64_t>& by_rank) {
  std::int64_t most = 0;
  for (const auto& [rank, sum] : by_rank) most = std::max(most, sum);
  return most;
}

}  // namespace

std::optional<std::int64_t> number_in(const Json& json) {
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) {
    const double value = json.get<double>();
    return std::abs(value) < 9e18 ? std::optional(static_cast<std::int64_t>(value)) : std::nullopt;
  }
  if (!json.is_string()) return std::nullopt;
  const auto& text = json.get_ref<const std::string&>();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> number_at(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at == object.end() ? std::nullopt : number_in(*at);
}

std::string text_at(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

void TraceGroups::begin(const std::string& file, int rank) {
  file_ = file;
  rank_ = rank >= 0 ? rank : files_;
  ++files_;
}

void TraceGroups::at_least(int ranks) { world_ = std::max(world_, ranks); }

tl::unexpected<Error> TraceGroups::wrong(std::string message, std::string next) const {
  return fail(Error{Code::invalid_input, std::move(message), std::move(next), file_, 0});
}

/// Groups known of one rank: the same shape everywhere else. True if some were added.
bool TraceGroups::complete(std::set<std::vector<int>>& sets) const {
  std::size_t covered = 0;
  for (const auto& ranks : sets) covered += ranks.size();
  const auto& first = *sets.begin();
  if (covered >= ix(world_) || first.size() < 2) return false;
  const int stride = first[1] - first[0], size = count_of(first);
  for (int i = 1; i < size; ++i)
    if (first[ix(i)] - first[ix(i - 1)] != stride) return false;
  const int span = stride * size;
  if (stride < 1 || world_ % span != 0 || first[0] % span >= stride) return false;
  for (int base = 0; base < world_; base += span)
    for (int offset = 0; offset < stride; ++offset) {
      std::vector<int> ranks;
      for (int i = 0; i < size; ++i) ranks.push_back(base + offset + i * stride);
      sets.insert(std::move(ranks));
    }
  return true;
}

Status TraceGroups::learn(const Json& list, const char* where) {
  if (!list.is_array()) return wrong(fmt::format("{} is not a list", where));
  for (const auto& one : list) {
    if (!one.is_object()) return wrong(fmt::format("{}: a process group is not an object", where));
    const auto name = text_at(one, "pg_name");
    auto what = text_at(one, "pg_desc");
    if (what.empty() || what == "undefined") what = name;
    ProcessGroup group{what, {}, 0};
    if (const auto ranks = one.find("ranks"); ranks != one.end() && ranks->is_array())
      for (const auto& rank : *ranks) {
        const auto value = number_in(rank);
        if (!value || *value < 0 || *value >= kMaxTraceRanks)
          return wrong(fmt::format("{}: process group '{}' has a rank that is none", where, name));
        group.ranks.push_back(static_cast<int>(*value));
        world_ = std::max(world_, static_cast<int>(*value) + 1);
      }
    for (const char* key : {"pg_size", "group_size"})
      if (const auto size = number_at(one, key)) {
        if (!group.ranks.empty() && *size != count_of(group.ranks))
          return wrong(fmt::format("{}: process group '{}' has {} and says {}", where, name,
                                   counted(group.ranks.size(), "rank"), *size));
        if (group.ranks.empty() && *size > 0 && *size < kMaxTraceRanks) {
          group.size = static_cast<int>(*size);
          world_ = std::max(world_, group.size);
        }
      }
    const auto [at, fresh] = groups_.emplace(name, group);
    if (!fresh && at->second.ranks != group.ranks)
      return wrong(
          fmt::format("process group '{}' has other ranks here than in the files before", name),
          "give the traces of one run");
  }
  return {};
}

std::string TraceGroups::everybody() {
  groups_.emplace("", ProcessGroup{"default_pg", {}, 0});
  return "";
}

Status TraceGroups::collective(const std::string& group, Collective kind, std::int64_t bytes,
                               const std::string& where) {
  if (bytes < 0 || bytes > kMaxBytes) return wrong(fmt::format("{}: {} bytes", where, bytes));
  if (!groups_.count(group)) {
    ++left_out_;
    return {};
  }
  auto& sum = totals_[{group, kind}][rank_];
  if (bytes > kMaxSum - sum)
    return wrong(fmt::format("{}: the bytes of one group add up to more than 2^60", where));
  sum += bytes;
  return {};
}

// A receive is its sender's send: counted once where both are recorded.
Status TraceGroups::message(std::int64_t from, std::int64_t to, std::int64_t bytes,
                            const std::string& where) {
  if (from < 0 || to < 0 || from >= kMaxTraceRanks || to >= kMaxTraceRanks || bytes < 0 ||
      bytes > kMaxBytes)
    return wrong(fmt::format("{}: {} bytes from {} to {}", where, bytes, from, to));
  world_ = std::max({world_, static_cast<int>(from) + 1, static_cast<int>(to) + 1});
  auto& way = ways_[{static_cast<int>(from), static_cast<int>(to)}];
  auto& own = way[rank_];
  const auto before = largest(way);
  if (bytes > kMaxSum - own)
    return wrong(fmt::format("{}: the bytes of one pair add up to more than 2^60", where));
  own += bytes;
  if (from != to)
    edges_[{static_cast<int>(std::min(from, to)), static_cast<int>(std::max(from, to))}] +=
        largest(way) - before;
  return {};
}

Result<RankGraph> TraceGroups::finish(const std::string& origin) {
  if (totals_.empty() && edges_.empty())
    return fail(
        Error{Code::invalid_input, "the trace holds no communication whose ranks it says",
              left_out_ > 0
                  ? "it names process groups without their ranks; give a PyTorch execution trace"
                  : "",
              file_, 0});
  // One description and collective: all its groups do the same.
  std::map<std::pair<std::string, Collective>, std::int64_t> bytes;
  std::map<std::string, std::set<std::vector<int>>> members;
  for (const auto& [key, by_rank] : totals_)
    for (const auto& [rank, sum] : by_rank) {
      auto& most = bytes[{groups_[key.first].what, key.second}];
      most = std::max(most, sum);
    }
  std::size_t not_said = 0;
  for (const auto& [name, group] : groups_) {
    std::vector<int> ranks = group.ranks;
    // Some of the ranks, but not which.
    if (ranks.empty() && group.size > 0 && group.size < world_) {
      for (const auto& [key, by_rank] : totals_) not_said += key.first == name;
      continue;
    }
    if (ranks.empty())
      for (int r = 0; r < world_; ++r) ranks.push_back(r);
    if (ranks.size() > 1) members[group.what].insert(std::move(ranks));
  }
  bool inferred = false;
  for (auto& [what, sets] : members) inferred = complete(sets) || inferred;

  RankGraph graph;
  graph.ranks = world_;
  for (const auto& [key, sum] : bytes)
    for (const auto& ranks : members[key.first])
      if (sum > 0)
        graph.groups.push_back({dimension_of(key.first), ranks, key.second, Bytes(sum), false});
  for (const auto& [pair, sum] : edges_) graph.edges.push_back({pair.first, pair.second, sum});
  graph.origin = origin;
  if (files_ > 1) graph.origin += fmt::format(" and {} more", files_ - 1);
  if (inferred) graph.origin += " (groups of the other ranks taken to lie alike)";
  if (graph.groups.empty() && graph.edges.empty())
    return wrong("the trace does not say the ranks of the process groups that communicate",
                 "give a PyTorch execution trace");
  if (left_out_ + static_cast<int>(not_said) > 0)
    graph.origin += fmt::format(" ({} collectives left out: who is in their process groups is not said)",
                                left_out_ + static_cast<int>(not_said));
  return graph;
}

}  // namespace topolaunch::mapping
