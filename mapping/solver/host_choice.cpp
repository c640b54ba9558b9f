// SPDX-License-Identifier: Apache-2.0
#include "mapping/solver/host_choice.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>

#include "mapping/index.h"

namespace topolaunch::mapping {
namespace {

/// Chooses among `hosts`, all in one block of `level`, and appends to `chosen`.
void choose(const Levels& levels, const std::vector<int>& capacity, const std::vector<int>& pinned, int level,
            const std::vector<int>& hosts, int& ranks, std::vector<int>& chosen) {
  if (ranks <= 0) return;
  if (level == 0) {
    for (const int h : hosts) {
      if (ranks <= 0) return;
      if (capacity[ix(h)] <= 0) continue;
      chosen.push_back(h);
      ranks -= capacity[ix(h)];
    }
    return;
  }
  struct Block {
    std::vector<int> hosts;
    int room = 0, pinned = 0;
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
    if (!pinned.empty()) block.pinned += pinned[ix(h)];
  }
  // Largest first, the given order among equals; then repeatedly: the smallest that holds the rest, else
  // the largest left. One pass with an index by size keeps it n log n. Blocks where ranks are pinned come
  // before the others.
  const auto fill = [&](bool where_pinned) {
    std::vector<int> by_room;
    for (int b = 0; b < count_of(blocks); ++b)
      if ((blocks[ix(b)].pinned > 0) == where_pinned) by_room.push_back(b);
    std::stable_sort(by_room.begin(), by_room.end(),
                     [&](int x, int y) { return blocks[ix(x)].room > blocks[ix(y)].room; });
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
        choose(levels, capacity, pinned, level - 1, blocks[ix(by_room[fit])].hosts, ranks, chosen);
        return;
      }
      choose(levels, capacity, pinned, level - 1, blocks[ix(by_room[next])].hosts, ranks, chosen);
    }
  };
  fill(true);
  fill(false);
}

/// Of the sets of fewest blocks that hold `ranks`, one that leaves least over: by block whether it is in. Empty
/// where one block holds all, or nothing does, or it would take long.
std::vector<char> tightest(const std::vector<int>& room, int ranks) {
  constexpr std::int64_t kMostWork = 4'000'000;
  int unit = ranks, most = 0;
  std::int64_t total = 0;
  for (const int seats : room) unit = std::gcd(unit, seats), most = std::max(most, seats), total += seats;
  if (most >= ranks || total < ranks || most == 0) return {};
  // least[s]: fewest blocks that come to s seats exactly, s up to a block more than asked for.
  const int wanted = ranks / unit, size = wanted + most / unit + 1;
  if (std::int64_t{size} * count_of(room) > kMostWork) return {};
  constexpr int kNone = 1 << 30;
  std::vector<std::vector<char>> taken(room.size(), std::vector<char>(ix(size), 0));
  std::vector<int> least(ix(size), kNone);
  least[0] = 0;
  for (std::size_t b = 0; b < room.size(); ++b) {
    const int seats = room[b] / unit;
    for (int s = size - 1; seats > 0 && s >= seats; --s)
      if (least[ix(s - seats)] + 1 < least[ix(s)]) least[ix(s)] = least[ix(s - seats)] + 1, taken[b][ix(s)] = 1;
  }
  int best = -1;
  for (int s = wanted; s < size; ++s)
    if (least[ix(s)] < kNone && (best < 0 || least[ix(s)] < least[ix(best)])) best = s;
  std::vector<char> in(room.size(), 0);
  for (std::size_t b = room.size(); best > 0 && b-- > 0;)
    if (taken[b][ix(best)]) in[b] = 1, best -= room[b] / unit;
  return in;
}

/// Neighbours in the fabric side by side, blocks in the order of their first hosts.
void sort_by_block(const Levels& levels, std::vector<int>& hosts) {
  std::map<std::pair<int, int>, int> first;  // level and block
  for (int i = 0; i < count_of(hosts); ++i)
    for (int l = 1; l < count_of(levels.levels); ++l) first.emplace(std::pair(l, levels.levels[ix(l)].block[ix(hosts[ix(i)])]), i);
  std::stable_sort(hosts.begin(), hosts.end(), [&](int a, int b) {
    for (int l = count_of(levels.levels) - 1; l > 0; --l) {
      const auto& block = levels.levels[ix(l)].block;
      if (block[ix(a)] != block[ix(b)]) return first.at({l, block[ix(a)]}) < first.at({l, block[ix(b)]});
    }
    return false;
  });
}

}  // namespace

std::vector<int> compact_hosts(const Levels& levels, const std::vector<int>& capacity, int ranks,
                               const std::vector<int>& pinned) {
  // Hosts with pins are filled first; the rest goes beside them.
  std::vector<int> chosen;
  auto left = capacity;
  for (int h = 0; h < count_of(pinned); ++h) {
    if (pinned[ix(h)] == 0) continue;
    chosen.push_back(h);
    ranks -= left[ix(h)];
    left[ix(h)] = 0;
  }
  // Hosts whose place is unknown only where the others don't do: each is a block of its own, and so
  // the best fit for every small rest.
  std::vector<int> placed, unknown;
  for (int h = 0; h < count_of(capacity); ++h) {
    if (capacity[ix(h)] <= 0) continue;
    (levels.placed.empty() || levels.placed[ix(h)] ? placed : unknown).push_back(h);
  }
  for (const auto& hosts : {placed, unknown}) {
    if (!hosts.empty()) choose(levels, left, pinned, count_of(levels.levels), hosts, ranks, chosen);
  }
  if (!pinned.empty()) sort_by_block(levels, chosen);
  return chosen;
}

void measure_fragments(const Levels& levels, const std::vector<int>& capacity, int ranks, HostCandidate& candidate) {
  // Hosts themselves where there is no fabric.
  const auto& block = levels.levels[levels.levels.size() > 1 ? 1 : 0].block;
  std::set<int> touched;
  for (const int h : candidate.hosts) touched.insert(block[ix(h)]);
  candidate.blocks = count_of(touched);
  candidate.left_over = -ranks;
  for (int h = 0; h < count_of(capacity); ++h)
    if (touched.count(block[ix(h)])) candidate.left_over += capacity[ix(h)];
}

std::vector<HostCandidate> host_candidates(const Levels& levels, const std::vector<int>& capacity, int ranks, int most,
                                           const std::vector<int>& pinned) {
  std::vector<HostCandidate> result;
  std::set<std::vector<int>> seen;
  const auto add = [&](std::vector<int> hosts) {
    auto key = hosts;
    std::sort(key.begin(), key.end());
    if (hosts.empty() || !seen.insert(std::move(key)).second) return;
    HostCandidate candidate;
    candidate.hosts = std::move(hosts);
    measure_fragments(levels, capacity, ranks, candidate);
    result.push_back(std::move(candidate));
  };
  add(compact_hosts(levels, capacity, ranks, pinned));
  const auto add_inside = [&](const Level& level, const std::vector<char>& blocks) {
    auto inside = capacity;
    bool all_pins = true;
    for (int h = 0; h < count_of(inside); ++h) {
      if (blocks[ix(level.block[ix(h)])]) continue;
      inside[ix(h)] = 0;
      all_pins = all_pins && (pinned.empty() || pinned[ix(h)] == 0);
    }
    if (all_pins) add(compact_hosts(levels, inside, ranks, pinned));
  };
  for (const auto& level : levels.levels) {
    std::vector<int> room(ix(level.blocks), 0);
    for (int h = 0; h < count_of(capacity); ++h) room[ix(level.block[ix(h)])] += capacity[ix(h)];
    if (const auto tight = tightest(room, ranks); !tight.empty() && count_of(result) < most) add_inside(level, tight);
    std::vector<int> fitting;
    for (int b = 0; b < level.blocks; ++b)
      if (room[ix(b)] >= ranks) fitting.push_back(b);
    std::stable_sort(fitting.begin(), fitting.end(), [&](int a, int b) { return room[ix(a)] < room[ix(b)]; });
    for (const int b : fitting) {
      if (count_of(result) >= most) return result;
      std::vector<char> alone(ix(level.blocks), 0);
      alone[ix(b)] = 1;
      add_inside(level, alone);
    }
  }
  return result;
}

}  // namespace topolaunch::mapping
