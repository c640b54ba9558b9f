// SPDX-License-Identifier: Apache-2.0
#include "mapping/solver/host_choice.h"

#include <algorithm>
#include <map>

#include "mapping/index.h"

namespace topolaunch::mapping {
namespace {

/// Chooses among `hosts`, all in one block of `level`, and appends to `chosen`.
void choose(const Levels& levels, const std::vector<int>& capacity, int level, const std::vector<int>& hosts,
            int& ranks, std::vector<int>& chosen) {
  if (ranks <= 0) return;
  if (level == 0) {
    for (const int h : hosts) {
      if (ranks <= 0) return;
      chosen.push_back(h);
      ranks -= capacity[ix(h)];
    }
    return;
  }
  struct Block {
    std::vector<int> hosts;
    int room = 0;
  };
  std::vector<Block> blocks;
  std::map<int, int> number;
  const auto& block_of = levels.levels[ix(level - 1)].block;
  for (const int h : hosts) {
    const auto [at, fresh] = number.emplace(block_of[ix(h)], count_of(blocks));
    if (fresh) blocks.emplace_back();
    auto& block = blocks[ix(at->second)];
    block.hosts.push_back(h);
    block.room += capacity[ix(h)];
  }
  // Largest first, the given order among equals; then repeatedly: the smallest that holds the rest, else
  // the largest left. One pass with an index by size keeps it n log n.
  std::vector<int> by_room(blocks.size());
  for (int b = 0; b < count_of(blocks); ++b) by_room[ix(b)] = b;
  std::stable_sort(by_room.begin(), by_room.end(),
                   [&](int a, int b) { return blocks[ix(a)].room > blocks[ix(b)].room; });
  for (std::size_t next = 0; next < by_room.size() && ranks > 0; ++next) {
    // The last one (smallest) that still holds the rest; among equal sizes the first given.
    std::size_t low = next, high = by_room.size();
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (blocks[ix(by_room[middle])].room >= ranks) low = middle + 1;
      else high = middle;
    }
    if (low > next) {
      std::size_t fit = low - 1;
      while (fit > next && blocks[ix(by_room[fit - 1])].room == blocks[ix(by_room[fit])].room) --fit;
      choose(levels, capacity, level - 1, blocks[ix(by_room[fit])].hosts, ranks, chosen);
      return;
    }
    choose(levels, capacity, level - 1, blocks[ix(by_room[next])].hosts, ranks, chosen);
  }
}

}  // namespace

std::vector<int> compact_hosts(const Levels& levels, const std::vector<int>& capacity, int ranks) {
  // Hosts whose place is unknown only where the others don't do: each is a block of its own, and so
  // the best fit for every small rest.
  std::vector<int> placed, unknown, chosen;
  for (int h = 0; h < count_of(capacity); ++h) {
    if (capacity[ix(h)] <= 0) continue;
    (levels.placed.empty() || levels.placed[ix(h)] ? placed : unknown).push_back(h);
  }
  for (const auto& hosts : {placed, unknown}) {
    if (!hosts.empty()) choose(levels, capacity, count_of(levels.levels), hosts, ranks, chosen);
  }
  return chosen;
}

}  // namespace topolaunch::mapping
