// SPDX-License-Identifier: Apache-2.0
#include "mapping/narrowing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>

#include "base/counted.h"
#include "mapping/index.h"
#include "mapping/levels.h"
#include "mapping/rules.h"
#include "mapping/solver/host_choice.h"

namespace topolaunch::mapping {
namespace {

constexpr int kMostWays = 1'000'000;

std::vector<int> room_by_block(const Level& level, const std::vector<int>& capacity) {
  std::vector<int> room(ix(level.blocks), 0);
  for (int h = 0; h < count_of(capacity); ++h) room[ix(level.block[ix(h)])] += capacity[ix(h)];
  return room;
}

int total(const std::vector<int>& capacity) {
  return std::accumulate(capacity.begin(), capacity.end(), 0);
}

class Narrowing {
 public:
  Narrowing(const topo::Topology& topology, const Constraints& constraints,
            const std::vector<int>& pinned, const NarrowingChoice& choice, SeatPool& pool)
      : topology_(topology),
        constraints_(constraints),
        pinned_(pinned),
        choice_(choice),
        left_(choice.number),
        pool_(pool),
        capacity_(pool.capacity),
        ranks_(constraints.ranks),
        levels_(fabric_levels(topology)) {}

  Status run() {
    for (const bool apart : {false, true})
      for (const auto& value : apart ? constraints_.anti_affinity : constraints_.affinity)
        if (auto status = beside_hosts(value, apart); !status) return status;
    pool_.before_levels = capacity_;
    if (auto status = require(); !status) return status;
    if (auto status = near(); !status) return status;
    if (auto status = prefer(); !status) return status;
    if (choice_.of != nullptr) *choice_.of = std::max(*choice_.of, ways_);
    if (left_ > 0) return fail(Code::infeasible, "no further choice of blocks");
    if (choice_.blocks_only) {
      pool_.before_spread = capacity_;
      return {};
    }
    if (auto status = keep_spares(); !status) return status;
    return spread();
  }

 private:
  Result<const Level*> find(const std::string& name, std::string_view option) const {
    const auto* level = levels_.find(name);
    if (!level)
      return fail(Code::wrong_usage,
                  fmt::format("{} {}: this machine has no such level", option, name),
                  "levels: " + levels_.names());
    return level;
  }

  bool holds_pins(const std::vector<int>& capacity) const {
    return std::all_of(pinned_.begin(), pinned_.end(), [&](int h) { return capacity[ix(h)] > 0; });
  }

  /// --affinity @HOSTS=LEVEL: only the blocks of these hosts. --anti-affinity: only the others.
  Status beside_hosts(const std::string& value, bool apart) {
    const auto rule = RuleText::parse(apart ? "--anti-affinity" : "--affinity", value);
    if (!rule.about_hosts()) return {};
    auto level = find(rule.level.empty() ? "host" : rule.level, rule.option);
    if (!level) return fail(level.error());
    auto hosts = hosts_named(topology_, rule.option, rule.group.substr(1));
    if (!hosts) return fail(hosts.error());
    std::vector<char> named(ix((*level)->blocks), 0);
    for (const int h : *hosts) named[ix((*level)->block[ix(h)])] = 1;
    for (int h = 0; h < count_of(capacity_); ++h)
      if ((named[ix((*level)->block[ix(h)])] != 0) == apart) capacity_[ix(h)] = 0;
    if (total(capacity_) < ranks_)
      return fail(Code::infeasible,
                  fmt::format("{}: {}, {} left", rule.text(), counted(ranks_, "rank"),
                              counted(total(capacity_), "seat")));
    if (!holds_pins(capacity_))
      return fail(Code::infeasible, fmt::format("{}: a {} rank is on a host that it shuts out",
                                                rule.text(), choice_.fixed));
    return {};
  }

  /// Blocks that hold all ranks and every pin, the smallest first.
  std::vector<int> fitting_blocks(const Level& level) const {
    const auto room = room_by_block(level, capacity_);
    std::vector<int> blocks;
    for (int b = 0; b < level.blocks; ++b)
      if (room[ix(b)] >= ranks_ &&
          std::all_of(pinned_.begin(), pinned_.end(), [&](int h) { return level.block[ix(h)] == b; }))
        blocks.push_back(b);
    std::stable_sort(blocks.begin(), blocks.end(), [&](int a, int b) { return room[ix(a)] < room[ix(b)]; });
    return blocks;
  }

  /// Which of `count` ways the choice says here.
  int pick(int count) {
    ways_ = count > kMostWays / ways_ ? kMostWays : ways_ * count;
    const int own = left_ % count;
    left_ /= count;
    return own;
  }

  void keep_block(const Level& level, int block) {
    for (int h = 0; h < count_of(capacity_); ++h)
      if (level.block[ix(h)] != block) capacity_[ix(h)] = 0;
  }

  Status require() {
    if (constraints_.require_level.empty()) return {};
    const auto level = find(constraints_.require_level, "--require");
    if (!level) return fail(level.error());
    const auto& name = (*level)->name;
    if (const auto blocks = fitting_blocks(**level); !blocks.empty()) {
      keep_block(**level, blocks[ix(pick(count_of(blocks)))]);
      return {};
    }
    const auto room = room_by_block(**level, capacity_);
    const int most = *std::max_element(room.begin(), room.end());
    return fail(
        Code::infeasible,
        most < ranks_
            ? fmt::format("{} in one {}: the largest has {}", counted(ranks_, "rank"), name,
                          counted(most, "seat"))
            : fmt::format("{} in one {}: the {} ranks are in another {} or in one too small",
                          counted(ranks_, "rank"), name, choice_.fixed, name),
        fmt::format("leave out --require {} or use --prefer {}", name, name));
  }

  /// The innermost level whose blocks around the named hosts hold the job; those blocks alone.
  Status near() {
    if (constraints_.near.empty()) return {};
    std::vector<int> hosts;
    for (const auto& list : constraints_.near) {
      auto named = hosts_named(topology_, "--near", list);
      if (!named) return fail(named.error());
      hosts.insert(hosts.end(), named->begin(), named->end());
    }
    std::vector<std::pair<const Level*, std::vector<int>>> ways;
    for (const auto& level : levels_.levels) {
      std::vector<char> named(ix(level.blocks), 0);
      for (const int h : hosts) named[ix(level.block[ix(h)])] = 1;
      auto kept = capacity_;
      for (int h = 0; h < count_of(kept); ++h)
        if (named[ix(level.block[ix(h)])] == 0) kept[ix(h)] = 0;
      if (total(kept) >= ranks_ && holds_pins(kept)) ways.emplace_back(&level, std::move(kept));
    }
    const int way = pick(count_of(ways) + 1);
    if (way < count_of(ways)) {
      capacity_ = ways[ix(way)].second;
      pool_.notes.push_back(fmt::format("near {}: within one {} of it",
                                        fmt::join(constraints_.near, ","), ways[ix(way)].first->name));
    } else {
      pool_.unmet.push_back(
          fmt::format("near {}: no level around it holds {}, so it decides nothing",
                      fmt::join(constraints_.near, ","), counted(ranks_, "rank")));
    }
    return {};
  }

  Status prefer() {
    if (constraints_.prefer_level.empty()) return {};
    const auto level = find(constraints_.prefer_level, "--prefer");
    if (!level) return fail(level.error());
    const auto blocks = fitting_blocks(**level);
    const int way = pick(count_of(blocks) + 1);
    if (way < count_of(blocks))
      keep_block(**level, blocks[ix(way)]);
    else
      pool_.unmet.push_back(fmt::format("no {} holds {}: --prefer {} could not be met",
                                        (*level)->name, counted(ranks_, "rank"), (*level)->name));
    return {};
  }

  /// Spare hosts: not those of the compact choice, and as near to it as there are. Outside the
  /// block of --require where it has none.
  Status keep_spares() {
    if (constraints_.spares <= 0) return {};
    std::vector<char> used(capacity_.size(), 0);
    auto rest = capacity_;
    int left = ranks_;
    for (const int h : pinned_) used[ix(h)] = 1, left -= rest[ix(h)], rest[ix(h)] = 0;
    if (left > 0)
      for (const int h : compact_hosts(levels_, rest, left)) used[ix(h)] = 1;
    std::vector<int> others;
    for (int h = 0; h < count_of(capacity_); ++h)
      if (pool_.before_levels[ix(h)] > 0 && !used[ix(h)]) others.push_back(h);
    if (count_of(others) < constraints_.spares)
      return fail(Code::infeasible,
                  fmt::format("--spares {}: beside {} for {}, free: {}", constraints_.spares,
                              counted(std::count(used.begin(), used.end(), 1), "host"),
                              counted(ranks_, "rank"), counted(others.size(), "host")),
                  "ask for fewer spares");
    if (const auto* level = levels_.find(constraints_.spread_level); level != nullptr) {
      keep_spares_evenly(*level);
      return {};
    }
    const auto distance = [&](int h) {
      int nearest = count_of(levels_.levels);
      for (int u = 0; u < count_of(used); ++u)
        if (used[ix(u)]) nearest = std::min(nearest, levels_.crossing(h, u));
      return nearest;
    };
    std::vector<std::pair<int, int>> by_distance;
    for (const int h : others) by_distance.emplace_back(distance(h), h);
    std::stable_sort(by_distance.begin(), by_distance.end());
    for (int i = 0; i < constraints_.spares; ++i) keep_free(by_distance[ix(i)].second);
    return {};
  }

  void keep_free(int host) {
    pool_.spares.push_back(host);
    capacity_[ix(host)] = 0;
  }

  /// Of a spread job: one after the other the hosts without which ranks lie most evenly.
  void keep_spares_evenly(const Level& level) {
    std::vector<char> out(capacity_.size(), 0);  // pinned, or spares already
    for (const int h : pinned_) out[ix(h)] = 1;
    for (int i = 0; i < constraints_.spares; ++i) {
      const auto room = room_by_block(level, capacity_);
      std::map<std::pair<int, int>, std::int64_t> seen;  // by room of the block and of the host
      int best = -1;
      std::int64_t least = 0;
      for (int h = count_of(capacity_) - 1; h >= 0; --h) {
        if (out[ix(h)] || pool_.before_levels[ix(h)] == 0) continue;
        const std::pair kind(room[ix(level.block[ix(h)])], capacity_[ix(h)]);
        auto known = seen.find(kind);
        if (known == seen.end()) {
          auto without = room;
          without[ix(level.block[ix(h)])] -= capacity_[ix(h)];
          known = seen.emplace(kind, unevenness(without)).first;
        }
        if (best >= 0 && known->second >= least) continue;
        best = h;
        least = known->second;
      }
      if (best < 0) return;
      out[ix(best)] = 1;
      keep_free(best);
    }
  }

  /// Sum of the squares of the ranks in each block where they lie as evenly as `room` allows: the
  /// smaller the more evenly.
  std::int64_t unevenness(const std::vector<int>& room) const {
    if (total(room) < ranks_) return std::numeric_limits<std::int64_t>::max();
    const auto up_to = [&](int water) {
      std::int64_t ranks = 0, squares = 0;
      for (const int r : room) {
        const std::int64_t here = std::min(r, water);
        ranks += here, squares += here * here;
      }
      return std::pair(ranks, squares);
    };
    int low = 0, high = ranks_;  // of the ranks, so many at most in a block are enough
    while (low + 1 < high) {
      const int middle = (low + high) / 2;
      (up_to(middle).first >= ranks_ ? high : low) = middle;
    }
    const auto [ranks, squares] = up_to(high - 1);
    return squares + (ranks_ - ranks) * (2 * std::int64_t{high} - 1);
  }

  /// Blocks of the level hold as equal numbers of ranks as their room allows.
  Status spread() {
    if (constraints_.spread_level.empty()) return {};
    const auto found = find(constraints_.spread_level, "--spread");
    if (!found) return fail(found.error());
    const auto& level = **found;
    pool_.before_spread = capacity_;
    int ranks = ranks_;
    const auto room = room_by_block(level, capacity_);
    std::vector<int> quota(ix(level.blocks), 0);
    std::vector<int> allowed(capacity_.size(), 0);  // pinned ranks first
    for (const int h : pinned_) {
      ++quota[ix(level.block[ix(h)])];
      ++allowed[ix(h)];
      --ranks;
    }
    while (ranks > 0) {
      int least = -1;
      for (int b = 0; b < level.blocks; ++b)
        if (quota[ix(b)] < room[ix(b)] && (least < 0 || quota[ix(b)] < quota[ix(least)])) least = b;
      if (least < 0) return {};
      ++quota[ix(least)];
      --ranks;
    }
    // Then one after the other over the hosts of a block.
    for (int h = 0; h < count_of(capacity_); ++h) quota[ix(level.block[ix(h)])] -= allowed[ix(h)];
    for (bool moved = true; moved;) {
      moved = false;
      for (int h = 0; h < count_of(capacity_); ++h) {
        int& left = quota[ix(level.block[ix(h)])];
        if (left <= 0 || allowed[ix(h)] >= capacity_[ix(h)]) continue;
        ++allowed[ix(h)];
        --left;
        moved = true;
      }
    }
    capacity_ = allowed;
    return {};
  }

  const topo::Topology& topology_;
  const Constraints& constraints_;
  const std::vector<int>& pinned_;
  const NarrowingChoice& choice_;
  int left_;      ///< of the choice's number, for the levels still to come
  int ways_ = 1;  ///< so far
  SeatPool& pool_;
  std::vector<int>& capacity_;
  int ranks_;
  Levels levels_;
};

}  // namespace

Status narrow(const topo::Topology& topology, const Constraints& constraints,
              const std::vector<int>& pinned, const NarrowingChoice& choice, SeatPool& pool) {
  const bool asked = !constraints.require_level.empty() || !constraints.prefer_level.empty() ||
                     !constraints.spread_level.empty() || !constraints.near.empty() ||
                     constraints.spares > 0 || !constraints.affinity.empty() ||
                     !constraints.anti_affinity.empty();
  if (!asked) return {};
  return Narrowing(topology, constraints, pinned, choice, pool).run();
}

}  // namespace topolaunch::mapping
