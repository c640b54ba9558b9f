// SPDX-License-Identifier: Apache-2.0
#include "mapping/construct.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "mapping/index.h"

namespace topolaunch::mapping {
namespace {

constexpr std::int64_t kSteps = 3'000'000;  ///< hosts looked at before it gives up

class Union {
 public:
  explicit Union(int n) : parent_(ix(n)) { std::iota(parent_.begin(), parent_.end(), 0); }
  int find(int v) {
    while (parent_[ix(v)] != v) v = parent_[ix(v)] = parent_[ix(parent_[ix(v)])];
    return v;
  }
  void join(int a, int b) { parent_[ix(std::max(find(a), find(b)))] = std::min(find(a), find(b)); }

 private:
  std::vector<int> parent_;
};

/// Ranks that share a host.
struct Bundle {
  std::vector<int> ranks;
  std::vector<int> whole;  ///< by level: the component of ranks that shares a block there
  std::vector<int> size;   ///< by level: of that component
  std::vector<std::pair<int, bool>>
      apart;          ///< sets to keep apart that they are in, and on which side
  int pin = -1;       ///< host
  bool plain = true;  ///< any other plain bundle of its size could take its place
};

class Construct {
 public:
  Construct(const topo::Topology& topology, const SeatPool& pool, const Constraints& constraints,
            const Rules& rules, const ConstructLimits& limits)
      : topology_(topology),
        pool_(pool),
        constraints_(constraints),
        rules_(rules),
        levels_(rules.levels().levels),
        room_(pool.capacity),
        limits_(limits),
        ranks_on_(pool.capacity.size(), 0) {
    for (const auto& level : levels_) {
      block_room_.emplace_back(ix(level.blocks), 0);
      for (int h = 0; h < count_of(room_); ++h)
        block_room_.back()[ix(level.block[ix(h)])] += room_[ix(h)];
    }
    order_hosts();
    make_bundles();
    if (limits_.spread >= 0) make_quotas();
  }

  Construction run() {
    if (impossible_) return {std::nullopt, true};
    const int n = count_of(bundles_), hosts = count_of(order_);
    std::vector<int> tries(ix(n), 0), begin(ix(n), 0);
    host_.assign(ix(n), -1);
    std::int64_t steps = 0;
    int i = 0;
    while (i >= 0 && i < n) {
      const auto& bundle = bundles_[ix(i)];
      if (host_[ix(i)] >= 0) {
        take(i, -1);
        host_[ix(i)] = -1;
      }
      bool placed = false;
      // Like bundles side by side never look at hosts before the last one's: that would be the same
      // again.
      const bool like = like_before(i);
      const int most = like ? hosts - begin[ix(i)] : hosts;
      while (tries[ix(i)] < most && !placed) {
        if (++steps > kSteps || ((steps & 1023) == 0 && stopped(constraints_.watch)))
          return {std::nullopt, false};
        const int position = (begin[ix(i)] + tries[ix(i)]++) % hosts;
        const int h = order_[ix(position)];
        if (!fits(bundle, h)) continue;
        host_[ix(i)] = h;
        take(i, 1);
        if (clash(i)) {
          take(i, -1);
          host_[ix(i)] = -1;
          continue;
        }
        placed = true;
        if (i + 1 < n) {
          // The first of them looks at all hosts, others go on where the last one is.
          begin[ix(i + 1)] = bundles_[ix(i + 1)].plain && !like_before(i + 1) ? 0 : position;
          tries[ix(i + 1)] = 0;
        }
      }
      i += placed ? 1 : -1;
    }
    if (i < 0) return {std::nullopt, true};
    return {seats(), false};
  }

 private:
  bool like_before(int i) const {
    return i > 0 && bundles_[ix(i)].plain && bundles_[ix(i - 1)].plain &&
           bundles_[ix(i)].ranks.size() == bundles_[ix(i - 1)].ranks.size();
  }

  void order_hosts() {
    for (int h = 0; h < count_of(room_); ++h)
      if (room_[ix(h)] > 0) order_.push_back(h);
    std::stable_sort(order_.begin(), order_.end(), [&](int a, int b) {
      for (int l = count_of(levels_) - 1; l > 0; --l) {
        const auto& block = levels_[ix(l)].block;
        if (block[ix(a)] != block[ix(b)]) return block[ix(a)] < block[ix(b)];
      }
      return false;
    });
  }

  void make_bundles() {
    const int n = constraints_.ranks, count = std::max(1, count_of(levels_));
    std::vector<Union> together(ix(count), Union(n));
    std::vector<std::vector<std::pair<int, bool>>> apart(ix(n));
    for (int s = 0; s < count_of(rules_.sets()); ++s) {
      const auto& set = rules_.sets()[ix(s)];
      if (set.apart) {
        for (const int r : set.ranks) apart[ix(r)].emplace_back(s, false);
        for (const int r : set.others) apart[ix(r)].emplace_back(s, true);
        continue;
      }
      // What shares an inner block shares the outer ones.
      for (int l = set.level; l < count; ++l)
        for (const int r : set.ranks) together[ix(l)].join(set.ranks.front(), r);
    }
    std::vector<std::vector<int>> size(ix(count), std::vector<int>(ix(n), 0));
    for (int l = 0; l < count; ++l)
      for (int r = 0; r < n; ++r) ++size[ix(l)][ix(together[ix(l)].find(r))];
    std::vector<int> number(ix(n), -1), pin(ix(n), -1);
    for (const auto& p : constraints_.pins)
      for (int h = 0; h < count_of(topology_.hosts); ++h)
        if (topology_.hosts[ix(h)].name == p.host) pin[ix(p.rank)] = h;
    for (int r = 0; r < n; ++r) {
      int& own = number[ix(together[0].find(r))];
      if (own < 0) {
        own = count_of(bundles_);
        auto& fresh = bundles_.emplace_back();
        for (int l = 0; l < count; ++l) {
          const int root = together[ix(l)].find(r);
          fresh.whole.push_back(root);
          fresh.size.push_back(size[ix(l)][ix(root)]);
        }
      }
      auto& bundle = bundles_[ix(own)];
      bundle.ranks.push_back(r);
      bundle.apart.insert(bundle.apart.end(), apart[ix(r)].begin(), apart[ix(r)].end());
      if (pin[ix(r)] >= 0) {
        impossible_ = impossible_ || (bundle.pin >= 0 && bundle.pin != pin[ix(r)]);
        bundle.pin = pin[ix(r)];
      }
    }
    for (auto& bundle : bundles_)
      bundle.plain =
          bundle.pin < 0 && bundle.apart.empty() && bundle.size.back() == count_of(bundle.ranks);
    placed_.assign(ix(count), std::vector<int>(ix(n), 0));
    at_.assign(ix(count), std::vector<int>(ix(n), -1));
    used_.resize(rules_.sets().size());
    // Pins, then the largest components, each in one piece.
    std::stable_sort(bundles_.begin(), bundles_.end(), [&](const Bundle& a, const Bundle& b) {
      if ((a.pin >= 0) != (b.pin >= 0)) return a.pin >= 0;
      for (int l = count - 1; l >= 0; --l) {
        if (a.size[ix(l)] != b.size[ix(l)]) return a.size[ix(l)] > b.size[ix(l)];
        if (a.whole[ix(l)] != b.whole[ix(l)]) return a.whole[ix(l)] < b.whole[ix(l)];
      }
      return false;
    });
  }

  /// Blocks fill up together: to one level of water, one rank more on some.
  void make_quotas() {
    const auto& level = levels_[ix(limits_.spread)];
    const auto& room = block_room_[ix(limits_.spread)];
    std::vector<int> pinned(ix(level.blocks), 0);
    int left = constraints_.ranks;
    for (const auto& pin : constraints_.pins)
      for (int h = 0; h < count_of(topology_.hosts); ++h)
        if (topology_.hosts[ix(h)].name == pin.host) ++pinned[ix(level.block[ix(h)])], --left;
    auto quota = pinned;
    const auto lowest = [&] {
      int least = -1;
      for (int b = 0; b < level.blocks; ++b)
        if (quota[ix(b)] < room[ix(b)] && (least < 0 || quota[ix(b)] < quota[ix(least)])) least = b;
      return least;
    };
    for (; left > 0 && lowest() >= 0; --left) ++quota[ix(lowest())];
    water_ = lowest() < 0 ? constraints_.ranks : quota[ix(lowest())];
    above_left_ = 0;
    if (limits_.uneven > 0) water_ += limits_.uneven - 1;
    for (int b = 0; b < level.blocks; ++b) {
      quota_.push_back(std::max(pinned[ix(b)], std::min(room[ix(b)], water_ + 1)));
      if (pinned[ix(b)] <= water_ && quota[ix(b)] > water_) ++above_left_;
    }
    if (limits_.uneven > 0) above_left_ = limits_.fullest;
    pinned_in_ = std::move(pinned);
    in_block_.assign(ix(level.blocks), 0);
  }

  bool within_limits(int ranks, int h) const {
    if (limits_.most_hosts >= 0 && ranks_on_[ix(h)] == 0 && used_hosts_ >= limits_.most_hosts) return false;
    if (limits_.spread < 0) return true;
    const int block = levels_[ix(limits_.spread)].block[ix(h)];
    const int now = in_block_[ix(block)], then = now + ranks;
    if (then > quota_[ix(block)]) return false;
    return then <= water_ || now > water_ || pinned_in_[ix(block)] > water_ || above_left_ > 0;
  }

  /// Ranks on a host, more or fewer.
  void count(int h, int ranks) {
    const int before = ranks_on_[ix(h)];
    ranks_on_[ix(h)] += ranks;
    used_hosts_ += (ranks_on_[ix(h)] > 0 ? 1 : 0) - (before > 0 ? 1 : 0);
    if (limits_.spread < 0) return;
    const int block = levels_[ix(limits_.spread)].block[ix(h)];
    const bool was = in_block_[ix(block)] > water_;
    in_block_[ix(block)] += ranks;
    const bool is = in_block_[ix(block)] > water_;
    if (pinned_in_[ix(block)] <= water_) above_left_ += (was ? 1 : 0) - (is ? 1 : 0);
  }

  bool fits(const Bundle& bundle, int h) const {
    if (bundle.pin >= 0 && bundle.pin != h) return false;
    if (room_[ix(h)] < count_of(bundle.ranks)) return false;
    if (limits_.any() && !within_limits(count_of(bundle.ranks), h)) return false;
    for (int l = 1; l < count_of(levels_); ++l) {
      const int whole = bundle.whole[ix(l)], block = levels_[ix(l)].block[ix(h)];
      const int at = at_[ix(l)][ix(whole)];
      if (at >= 0 && at != block) return false;
      // The rest of the component must find room here too.
      if (block_room_[ix(l)][ix(block)] < bundle.size[ix(l)] - placed_[ix(l)][ix(whole)])
        return false;
    }
    return true;
  }

  /// Puts bundle i on its host (way = 1) or takes it away again (-1).
  void take(int i, int way) {
    const auto& bundle = bundles_[ix(i)];
    const int h = host_[ix(i)], size = way * count_of(bundle.ranks);
    room_[ix(h)] -= size;
    if (limits_.any()) count(h, size);
    for (int l = 0; l < count_of(levels_); ++l) {
      const int whole = bundle.whole[ix(l)];
      block_room_[ix(l)][ix(levels_[ix(l)].block[ix(h)])] -= size;
      placed_[ix(l)][ix(whole)] += size;
      at_[ix(l)][ix(whole)] = placed_[ix(l)][ix(whole)] > 0 ? levels_[ix(l)].block[ix(h)] : -1;
    }
    for (const auto& [s, other] : bundle.apart) {
      auto& used = used_[ix(s)];
      if (way > 0)
        used.emplace_back(levels_[ix(rules_.sets()[ix(s)].level)].block[ix(h)], other);
      else
        used.pop_back();
    }
  }

  /// Whether bundle i, just placed, shares a block with one that it is to be kept apart from.
  bool clash(int i) const {
    for (const auto& [s, side] : bundles_[ix(i)].apart) {
      const auto& set = rules_.sets()[ix(s)];
      const auto& used = used_[ix(s)];
      const int block = levels_[ix(set.level)].block[ix(host_[ix(i)])];
      int own = 0, other = 0;
      for (const auto& [b, is_other] : used)
        if (b == block) ++(is_other ? other : own);
      if (set.others.empty() ? own > 1 : own > 0 && other > 0) return true;
    }
    return false;
  }

  std::vector<Seat> seats() const {
    std::vector<int> host(ix(constraints_.ranks), -1);
    for (int i = 0; i < count_of(bundles_); ++i)
      for (const int r : bundles_[ix(i)].ranks) host[ix(r)] = host_[ix(i)];
    std::vector<std::vector<Seat>> free(topology_.hosts.size());
    for (const auto& seat : pool_.seats) free[ix(seat.host)].push_back(seat);
    std::vector<Seat> result(ix(constraints_.ranks));
    std::vector<bool> done(ix(constraints_.ranks), false);
    for (const auto& pin : constraints_.pins) {
      if (pin.gpu < 0) continue;
      auto& list = free[ix(host[ix(pin.rank)])];
      const auto at = std::find_if(list.begin(), list.end(),
                                   [&](const Seat& seat) { return seat.gpu == pin.gpu; });
      if (at == list.end()) continue;
      result[ix(pin.rank)] = *at;
      done[ix(pin.rank)] = true;
      list.erase(at);
    }
    std::vector<std::size_t> next(topology_.hosts.size(), 0);
    for (int r = 0; r < constraints_.ranks; ++r)
      if (!done[ix(r)]) result[ix(r)] = free[ix(host[ix(r)])][next[ix(host[ix(r)])]++];
    return result;
  }

  const topo::Topology& topology_;
  const SeatPool& pool_;
  const Constraints& constraints_;
  const Rules& rules_;
  const std::vector<Level>& levels_;
  std::vector<int> order_, room_;
  const ConstructLimits limits_;
  std::vector<int> ranks_on_, quota_, pinned_in_, in_block_;  ///< by host; by block of the spread
  int used_hosts_ = 0, water_ = 0, above_left_ = 0;
  std::vector<std::vector<int>> block_room_;
  std::vector<Bundle> bundles_;
  std::vector<int> host_;                                ///< by bundle
  std::vector<std::vector<int>> placed_, at_;            ///< by level and component: ranks, block
  std::vector<std::vector<std::pair<int, bool>>> used_;  ///< by set: blocks taken, by which side
  bool impossible_ = false;
};

}  // namespace

Construction construct(const topo::Topology& topology, const SeatPool& pool,
                       const Constraints& constraints, const Rules& rules,
                       const ConstructLimits& limits) {
  return Construct(topology, pool, constraints, rules, limits).run();
}

Result<std::vector<Seat>> starting_seats(const topo::Topology& topology, const SeatPool& pool,
                                         const Constraints& constraints, const Rules& rules,
                                         bool* proved) {
  if (proved != nullptr) *proved = true;
  auto seats = given_seats(topology, pool, constraints);
  auto broken = placement_fault(topology, pool, constraints, seats);
  if (broken.empty()) broken = rules.fault(seats);
  if (broken.empty()) return seats;
  auto made = construct(topology, pool, constraints, rules);
  if (made.seats) return std::move(*made.seats);
  if (made.proved) {
    const auto shortage = rules.shortage(pool.capacity);
    return fail(Code::infeasible, shortage.empty() ? broken : shortage, "");
  }
  if (proved != nullptr) *proved = false;
  return fail(
      Code::infeasible,
      fmt::format("{}, and a fixed amount of search found no placement that holds it", broken),
      "loosen a constraint; whether all can hold together is not proved");
}

}  // namespace topolaunch::mapping
