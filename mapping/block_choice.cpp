// SPDX-License-Identifier: Apache-2.0
#include "mapping/block_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "mapping/construct.h"
#include "mapping/index.h"
#include "mapping/narrowing.h"

namespace topolaunch::mapping {
namespace {

constexpr int kMostChoices = 512;
constexpr std::size_t kMostMoves = 1 << 16;  ///< ranks times seats, looked at for each move
constexpr int kMostUnproved = 2;  ///< choices that take the whole amount of search

/// The choice that a pool stands for, as ranks that each host takes.
Constraints decided(const Constraints& constraints, const SeatPool& pool) {
  auto c = constraints;
  c.require_level.clear();
  c.prefer_level.clear();
  c.spread_level.clear();
  c.near.clear();
  c.spares = 0;
  c.slots_per_host = pool.capacity;
  for (auto* rules : {&c.affinity, &c.anti_affinity})
    std::erase_if(*rules, [](const auto& value) { return RuleText::parse("", value).about_hosts(); });
  return c;
}

/// Ranks on each host of a placement.
std::vector<int> counts(const topo::Topology& topology, const std::vector<Seat>& seats) {
  std::vector<int> ranks(topology.hosts.size(), 0);
  for (const auto& seat : seats) ++ranks[ix(seat.host)];
  return ranks;
}

class Search {
 public:
  Search(const topo::Topology& topology, const Constraints& constraints, const Rules& rules)
      : topology_(topology), constraints_(constraints), rules_(rules) {}

  /// In one choice of blocks: with the spares and the spread that come first, then with any.
  std::optional<ChosenBlocks> in_choice(const NarrowingChoice& choice) {
    auto pool = seat_pool(topology_, constraints_, choice);
    if (pool) {
      const auto c = decided(constraints_, *pool);
      if (auto start = placed(*pool, c, {})) return ChosenBlocks{c, std::move(*pool), std::move(*start)};
    }
    if (constraints_.spares <= 0 && constraints_.spread_level.empty()) return std::nullopt;
    auto loose = choice;
    loose.blocks_only = true;
    pool = seat_pool(topology_, constraints_, loose);
    if (!pool) return std::nullopt;
    auto c = decided(constraints_, *pool);
    ConstructLimits limits;
    const auto some = [](int n) { return n > 0; };
    const auto hosts = std::ranges::count_if(pool->capacity, some);
    const auto all = std::ranges::count_if(pool->before_levels, some);
    limits.most_hosts = static_cast<int>(std::min(hosts, all - constraints_.spares));
    if (limits.most_hosts < 1) return std::nullopt;
    if (const auto* level = rules_.levels().find(constraints_.spread_level); level != nullptr)
      limits.spread = static_cast<int>(level - rules_.levels().levels.data());
    auto start = most_evenly(*pool, c, limits);
    if (!start) return std::nullopt;
    if (limits.spread >= 0) level_out(*pool, c, limits, *start);
    const auto used = counts(topology_, *start);
    keep_spares(*pool, used);
    if (limits.spread >= 0) pool->capacity = used;
    c = decided(constraints_, *pool);
    auto chosen = seat_pool(topology_, c);
    if (!chosen) return std::nullopt;
    chosen->spares = std::move(pool->spares);
    chosen->before_spread = std::move(pool->before_spread);
    for (const int h : chosen->spares) chosen->before_spread[ix(h)] = 0;
    chosen->notes = std::move(pool->notes);
    chosen->unmet = std::move(pool->unmet);
    return ChosenBlocks{std::move(c), std::move(*chosen), std::move(*start)};
  }

  /// Choices in which a fixed amount of search found nothing.
  int unproved() const { return unproved_; }

 private:
  std::optional<std::vector<Seat>> placed(const SeatPool& pool, const Constraints& c, const ConstructLimits& limits) {
    if (limits.any()) {
      auto made = construct(topology_, pool, c, rules_, limits);
      unproved_ += made.seats || made.proved ? 0 : 1;
      return std::move(made.seats);
    }
    bool proved = true;
    auto start = starting_seats(topology_, pool, c, rules_, &proved);
    unproved_ += start || proved ? 0 : 1;
    if (!start) return std::nullopt;
    return std::move(*start);
  }

  /// As even as a spread can be: as few ranks as can be in the fullest block, and as few such
  /// blocks; both found by halving.
  std::optional<std::vector<Seat>> most_evenly(const SeatPool& pool, const Constraints& c,
                                               ConstructLimits limits) {
    auto best = placed(pool, c, limits);
    if (best || limits.spread < 0) return best;
    limits.uneven = c.ranks;
    best = placed(pool, c, limits);
    if (!best) return best;
    for (int* const least : {&limits.uneven, &limits.fullest}) {
      int fails = 0, holds = c.ranks;
      while (fails + 1 < holds && unproved_ < kMostUnproved) {
        *least = (fails + holds) / 2;
        auto other = placed(pool, c, limits);
        (other ? holds : fails) = *least;
        if (other) best = std::move(other);
      }
      *least = holds;
    }
    return best;
  }

  /// Ranks by themselves go from full blocks to emptier ones, as long as all else holds.
  void level_out(const SeatPool& pool, const Constraints& c, const ConstructLimits& limits,
                 std::vector<Seat>& seats) const {
    if (seats.size() * pool.seats.size() > kMostMoves) return;
    const auto& block = rules_.levels().levels[ix(limits.spread)].block;
    for (bool moved = true; moved;) {
      moved = false;
      const auto used = counts(topology_, seats);
      const auto hosts = std::ranges::count_if(used, [](int n) { return n > 0; });
      std::map<int, int> in_block;
      for (int h = 0; h < count_of(used); ++h) in_block[block[ix(h)]] += used[ix(h)];
      for (int r = 0; r < count_of(seats) && !moved; ++r)
        for (const auto& seat : pool.seats) {
          const int from = seats[ix(r)].host, to = seat.host;
          if (in_block[block[ix(to)]] + 1 >= in_block[block[ix(from)]]) continue;
          if (used[ix(to)] == 0 && used[ix(from)] > 1 && hosts >= limits.most_hosts) continue;
          auto other = seats;
          other[ix(r)] = seat;
          if (!rules_.hold(other, {r}) || !placement_fault(topology_, pool, c, other).empty()) continue;
          seats = std::move(other);
          moved = true;
          break;
        }
    }
  }

  /// Of the hosts that are not used, those nearest to the used ones.
  void keep_spares(SeatPool& pool, const std::vector<int>& used) const {
    std::vector<std::pair<int, int>> by_distance;
    for (int h = 0; h < count_of(used); ++h) {
      if (used[ix(h)] > 0 || pool.before_levels[ix(h)] == 0) continue;
      int nearest = count_of(rules_.levels().levels);
      for (int u = 0; u < count_of(used); ++u)
        if (used[ix(u)] > 0) nearest = std::min(nearest, rules_.levels().crossing(h, u));
      by_distance.emplace_back(nearest, h);
    }
    std::stable_sort(by_distance.begin(), by_distance.end());
    pool.spares.clear();
    for (int i = 0; i < std::min(constraints_.spares, count_of(by_distance)); ++i) {
      pool.spares.push_back(by_distance[ix(i)].second);
      pool.capacity[ix(by_distance[ix(i)].second)] = 0;
    }
  }

  const topo::Topology& topology_;
  const Constraints& constraints_;
  const Rules& rules_;
  int unproved_ = 0;
};

/// A spread that room or rules have kept from being even is said.
ChosenBlocks told(ChosenBlocks chosen, const Levels& levels, const std::string& spread) {
  const auto* level = levels.find(spread);
  if (level == nullptr) return chosen;
  std::vector<int> by_block(ix(level->blocks), 0), ranks;
  for (const auto& seat : chosen.start) ++by_block[ix(level->block[ix(seat.host)])];
  std::set<int> with_room;
  for (int h = 0; h < count_of(chosen.pool.before_spread); ++h)
    if (chosen.pool.before_spread[ix(h)] > 0) with_room.insert(level->block[ix(h)]);
  for (const int block : with_room) ranks.push_back(by_block[ix(block)]);
  if (ranks.empty()) return chosen;
  std::ranges::sort(ranks, std::greater<>());
  if (ranks.front() <= ranks.back() + 1) return chosen;
  constexpr std::size_t kMostNamed = 8;
  const auto named = std::min(ranks.size(), kMostNamed);
  chosen.pool.unmet.push_back(fmt::format(
      "--spread {}: {}{} ranks in each; room and the other constraints stand against more even", spread,
      fmt::join(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(named), " "),
      ranks.size() > named ? " ..." : ""));
  return chosen;
}

}  // namespace

Result<ChosenBlocks> choose_blocks(const topo::Topology& topology, const Constraints& constraints,
                                   const Rules& rules, bool* proved) {
  const auto answer = [&](ChosenBlocks chosen) {
    return told(std::move(chosen), rules.levels(), constraints.spread_level);
  };
  auto pool = seat_pool(topology, constraints);
  if (proved != nullptr) *proved = true;
  if (!pool && pool.error().code != Code::infeasible) return fail(pool.error());
  std::optional<Error> error;
  bool first_proved = true;
  if (pool) {
    auto start = starting_seats(topology, *pool, constraints, rules, &first_proved);
    if (start) return answer({constraints, std::move(*pool), std::move(*start)});
    error = start.error();
  } else {
    error = pool.error();
  }
  Search search(topology, constraints, rules);
  int choices = 1;
  for (int i = 0; i < choices && i < kMostChoices && search.unproved() < kMostUnproved && !stopped(constraints.watch); ++i) {
    NarrowingChoice choice;
    choice.number = i;
    choice.of = &choices;
    if (auto chosen = search.in_choice(choice)) return answer(std::move(*chosen));
  }
  const bool all = search.unproved() == 0 && first_proved && choices <= kMostChoices && !stopped(constraints.watch);
  if (proved != nullptr) *proved = all;
  if (!all && pool && error->next.empty()) error->next = "loosen a constraint; whether all can hold together is not proved";
  return fail(*error);
}

}  // namespace topolaunch::mapping
