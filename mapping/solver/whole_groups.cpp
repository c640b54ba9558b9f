// SPDX-License-Identifier: Apache-2.0
#include "mapping/solver/whole_groups.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>

#include "mapping/index.h"

namespace topolaunch::mapping {
namespace {

constexpr std::size_t kMostSizes = 64;
constexpr int kMost = 8, kMostRanks = 32'768;  ///< ways, and ranks in all of them together
constexpr int kMostRanksByLeaf = 4096;         ///< larger jobs keep groups whole on hosts alone

/// Each way is a whole set of orders to evaluate: one of them is always worth it.
std::size_t most_ways(int ranks) { return static_cast<std::size_t>(std::clamp(kMostRanks / ranks, 1, kMost)); }

int total(const std::vector<int>& capacity) { return std::accumulate(capacity.begin(), capacity.end(), 0); }

/// Sizes of groups, and of what several dimensions make together: tp x cp ranks next to each other.
std::set<int> group_sizes(const RankGraph& graph) {
  std::set<int> sizes;
  for (const auto& group : graph.groups) {
    const int size = count_of(group.members);
    if (size > 1 && size < graph.ranks && sizes.size() < kMostSizes) sizes.insert(size);
  }
  for (const auto& dimension : graph.dimensions) {
    const std::set<int> before = sizes;
    for (const int size : before) {
      const std::int64_t product = std::int64_t{size} * dimension.size;
      if (product < graph.ranks && sizes.size() < kMostSizes) sizes.insert(static_cast<int>(product));
    }
  }
  return sizes;
}

/// `capacity` with as many seats fewer in each block as are over a multiple of `size`, the last hosts
/// without pinned ranks first.
std::vector<int> rounded(const Level& level, std::vector<int> capacity, int size, const std::vector<int>& pinned) {
  std::vector<int> over(ix(level.blocks), 0);
  for (int h = 0; h < count_of(capacity); ++h) over[ix(level.block[ix(h)])] += capacity[ix(h)];
  for (int& seats : over) seats %= size;
  const auto take = [&](bool from_pinned) {
    for (int h = count_of(capacity) - 1; h >= 0; --h) {
      const int kept = pinned.empty() ? 0 : pinned[ix(h)];
      if ((kept > 0) != from_pinned) continue;
      int& left = over[ix(level.block[ix(h)])];
      const int fewer = std::min(left, std::max(0, capacity[ix(h)] - kept));
      capacity[ix(h)] -= fewer;
      left -= fewer;
    }
  };
  take(false);
  take(true);
  return capacity;
}

}  // namespace

std::vector<std::vector<int>> whole_group_capacities(const Levels& levels, const RankGraph& graph,
                                                     const std::vector<int>& capacity, int ranks,
                                                     const std::vector<int>& pinned) {
  if (total(capacity) <= ranks) return {};
  const auto sizes = group_sizes(graph);
  std::vector<std::vector<int>> found = {capacity};
  for (const auto& level : levels.levels) {
    if (&level != levels.levels.data() && ranks > kMostRanksByLeaf) break;
    const std::size_t inner = found.size();
    for (std::size_t i = 0; i < inner; ++i)
      for (const int size : sizes) {
        if (found.size() > most_ways(ranks)) break;
        auto less = rounded(level, found[i], size, pinned);
        if (total(less) >= ranks && std::find(found.begin(), found.end(), less) == found.end())
          found.push_back(std::move(less));
      }
  }
  found.erase(found.begin());
  return found;
}

}  // namespace topolaunch::mapping
