// SPDX-License-Identifier: Apache-2.0
#include "bench/topobench/groups.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace topolaunch::bench {
namespace {

constexpr const char* kAxes[] = {"tp", "cp", "ep", "dp", "pp"};

/// Without a size, an axis is one of these or of kAxes.
constexpr const char* kKnownOfRanks[] = {"host", "leaf", "rail"};

/// Whether the ranks themselves tell where an axis of that name puts them.
bool told_by_ranks(const std::string& name) {
  return std::ranges::find(kKnownOfRanks, name) != std::end(kKnownOfRanks) ||
         std::ranges::find(kAxes, name) != std::end(kAxes);
}

tl::unexpected<Error> refuse(const std::string& why,
                             const std::string& next = "tp=2,dp=4 (sizes), or host, leaf, rail") {
  return fail(Code::wrong_usage, "--groups: " + why, next);
}

Result<GroupAxis> axis_of(const std::string& word) {
  const auto equals = word.find('=');
  GroupAxis axis{word.substr(0, equals), 0};
  if (axis.name.empty()) return refuse("an axis without a name");
  if (equals == std::string::npos) {
    if (told_by_ranks(axis.name)) return axis;
    return refuse("\"" + word + "\" is no axis that ranks know, and has no size");
  }
  const char* const end = word.data() + word.size();
  const auto read = std::from_chars(word.data() + equals + 1, end, axis.size);
  if (read.ec != std::errc{} || read.ptr != end || axis.size < 1) {
    return refuse("\"" + word + "\" has no size of 1 or more");
  }
  return axis;
}

/// Numbers the different keys in the order in which they come.
template <class Key>
std::vector<int> numbered(const std::vector<Key>& keys) {
  std::map<Key, int> numbers;
  std::vector<int> out;
  for (const Key& key : keys) {
    out.push_back(numbers.try_emplace(key, static_cast<int>(numbers.size())).first->second);
  }
  return out;
}

template <class KeyOf>
Grouping by(const std::string& axis, const std::vector<RankFacts>& ranks, const KeyOf& key_of) {
  std::vector<decltype(key_of(ranks.front()))> keys;
  for (const RankFacts& rank : ranks) keys.push_back(key_of(rank));
  return {axis, numbered(keys)};
}

/// wrong_usage where sizes are given and don't make up all ranks.
Status sizes_fit(const std::vector<GroupAxis>& axes, std::size_t ranks) {
  std::size_t product = 1;
  std::string sizes;
  for (const GroupAxis& axis : axes) {
    if (axis.size == 0) continue;
    sizes += (sizes.empty() ? "" : ",") + axis.name + "=" + std::to_string(axis.size);
    if (product <= ranks) product *= static_cast<std::size_t>(axis.size);
  }
  if (sizes.empty() || product == ranks) return {};
  return refuse(sizes + ": the sizes don't multiply to the " + std::to_string(ranks) + " ranks",
                "sizes of all axes, tp=2,dp=4 for 8 ranks");
}

Result<Grouping> by_leaf(const std::vector<RankFacts>& ranks) {
  const auto unknown = [](const RankFacts& rank) { return rank.leaf.empty(); };
  if (std::ranges::any_of(ranks, unknown)) {
    return fail(Code::unavailable, "--groups leaf: nobody says under which leaf the ranks are",
                "start it with topolaunch bench on a topology with switches, or set "
                "TOPOLAUNCH_LEAF");
  }
  return by("leaf", ranks, [](const RankFacts& r) { return r.leaf; });
}

/// A group along an axis: all other coordinates are equal.
Result<Grouping> by_coordinates(const std::string& axis, const std::vector<RankFacts>& ranks) {
  for (const RankFacts& rank : ranks) {
    if (rank.coordinates.contains(axis)) continue;
    return refuse(axis +
                      " has no size here, and the launcher gave the ranks no coordinate of "
                      "that name",
                  axis + "=SIZE; topolaunch bench --parallel " + axis + "=SIZE gives them one");
  }
  return by(axis, ranks, [&](const RankFacts& r) {
    auto others = r.coordinates;
    others.erase(axis);
    return others;
  });
}

Result<Grouping> told_grouping(const std::string& axis, const std::vector<RankFacts>& ranks) {
  if (axis == "host") return by(axis, ranks, [](const RankFacts& r) { return r.host_key; });
  if (axis == "rail") return by(axis, ranks, [](const RankFacts& r) { return r.local_rank; });
  if (axis == "leaf") return by_leaf(ranks);
  return by_coordinates(axis, ranks);
}

}  // namespace

std::map<std::string, int> coordinates_from(const Environment& environment) {
  std::map<std::string, int> found;
  for (const std::string axis : kAxes) {
    std::string name = "TOPOLAUNCH_";
    for (const char c : axis) name += static_cast<char>(c - 'a' + 'A');
    name += "_RANK";
    if (const auto value = environment.get_int(name)) found[axis] = static_cast<int>(*value);
  }
  return found;
}

Result<std::vector<GroupAxis>> group_axes(const std::string& words) {
  std::vector<GroupAxis> axes;
  for (std::size_t at = 0; at <= words.size();) {
    const std::size_t comma = std::min(words.find(',', at), words.size());
    auto axis = axis_of(words.substr(at, comma - at));
    at = comma + 1;
    if (!axis) return fail(std::move(axis).error());
    if (std::ranges::find(axes, axis->name, &GroupAxis::name) != axes.end()) {
      return refuse(axis->name + " is there twice", "each axis once");
    }
    axes.push_back(std::move(*axis));
  }
  return axes;
}

Result<std::vector<Grouping>> groupings(const std::vector<GroupAxis>& axes,
                                        const std::vector<RankFacts>& ranks) {
  if (Status fit = sizes_fit(axes, ranks.size()); !fit) return fail(std::move(fit).error());
  std::vector<Grouping> out;
  std::size_t stride = 1;
  for (const GroupAxis& axis : axes) {
    if (axis.size == 0) {
      auto told = told_grouping(axis.name, ranks);
      if (!told) return fail(std::move(told).error());
      out.push_back(std::move(*told));
      continue;
    }
    const auto size = static_cast<std::size_t>(axis.size);
    std::vector<std::size_t> keys;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      keys.push_back(r / (stride * size) * stride + r % stride);
    }
    out.push_back({axis.name, numbered(keys)});
    stride *= size;
  }
  return out;
}

int smallest_group(const Grouping& grouping) {
  std::map<int, int> sizes;
  for (const int group : grouping.group_of) ++sizes[group];
  int smallest = 0;
  for (const auto& [group, size] : sizes) {
    if (smallest == 0 || size < smallest) smallest = size;
  }
  return smallest;
}

}  // namespace topolaunch::bench
