// SPDX-License-Identifier: Apache-2.0
#include "mapping/pins.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "mapping/index.h"

namespace topolaunch::mapping {
namespace {

struct PinPlace {
  int rank, host, gpu;
};

/// Pins to a GPU first: a pin to a host takes what is left there.
std::vector<PinPlace> pin_places(const topo::Topology& topology, const Constraints& constraints) {
  std::vector<PinPlace> pins;
  if (constraints.pins.empty()) return pins;
  std::unordered_map<std::string_view, int> hosts;
  for (int h = 0; h < count_of(topology.hosts); ++h) hosts.emplace(topology.hosts[ix(h)].name, h);
  for (const auto& pin : constraints.pins)
    if (const auto host = hosts.find(pin.host); host != hosts.end())
      pins.push_back({pin.rank, host->second, pin.gpu});
  std::stable_sort(pins.begin(), pins.end(), [](const PinPlace& a, const PinPlace& b) {
    return (a.gpu >= 0) > (b.gpu >= 0);
  });
  return pins;
}

/// A placement whose blocks change places as wholes.
class BlockMoves {
 public:
  BlockMoves(const Levels& levels, const SeatPool& pool, std::vector<Seat>& seats)
      : levels_(levels.levels),
        pool_(pool),
        seats_(seats),
        by_host_(pool.capacity.size()),
        ranks_(pool.capacity.size()) {
    for (const auto& seat : pool.seats) by_host_[ix(seat.host)].push_back(seat);
    for (int r = 0; r < count_of(seats); ++r) ranks_[ix(seats[ix(r)].host)].push_back(r);
    held_.assign(seats.size(), 0);
  }

  /// The rank's blocks, from the outermost level in, against those around `host`.
  void bring(int rank, int host) {
    for (int l = count_of(levels_) - 1; l >= 0; --l) {
      const auto& block = levels_[ix(l)].block;
      const int from = block[ix(seats_[ix(rank)].host)], to = block[ix(host)];
      if (from != to) exchange(hosts_in(l, from), hosts_in(l, to));
    }
    held_[ix(rank)] = 1;
  }

 private:
  /// Hosts with seats, neighbours side by side.
  std::vector<int> hosts_in(int level, int block) const {
    std::vector<int> hosts;
    for (int h = 0; h < count_of(pool_.capacity); ++h)
      if (pool_.capacity[ix(h)] > 0 && levels_[ix(level)].block[ix(h)] == block) hosts.push_back(h);
    std::stable_sort(hosts.begin(), hosts.end(), [&](int a, int b) {
      for (int l = level - 1; l > 0; --l) {
        const auto& inner = levels_[ix(l)].block;
        if (inner[ix(a)] != inner[ix(b)]) return inner[ix(a)] < inner[ix(b)];
      }
      return false;
    });
    return hosts;
  }

  int crossing(int a, int b) const {
    for (int l = count_of(levels_) - 1; l >= 0; --l)
      if (levels_[ix(l)].block[ix(a)] != levels_[ix(l)].block[ix(b)]) return l;
    return -1;
  }

  /// All or nothing: the blocks must be of one shape, have room for each other, and hold no held
  /// rank.
  void exchange(const std::vector<int>& one, const std::vector<int>& other) {
    if (one.size() != other.size()) return;
    for (std::size_t i = 0; i < one.size(); ++i) {
      if (i > 0 && crossing(one[i - 1], one[i]) != crossing(other[i - 1], other[i])) return;
      const auto& a = ranks_[ix(one[i])];
      const auto& b = ranks_[ix(other[i])];
      if (count_of(a) > pool_.capacity[ix(other[i])] || count_of(b) > pool_.capacity[ix(one[i])])
        return;
      for (const auto* ranks : {&a, &b})
        for (const int r : *ranks)
          if (held_[ix(r)]) return;
    }
    for (std::size_t i = 0; i < one.size(); ++i) {
      std::swap(ranks_[ix(one[i])], ranks_[ix(other[i])]);
      settle(one[i]);
      settle(other[i]);
    }
  }

  /// The host's new ranks keep their slots where it has the same.
  void settle(int host) {
    const auto& ranks = ranks_[ix(host)];
    const auto& here = by_host_[ix(host)];
    std::vector<Seat> seats;
    for (const int r : ranks) {
      const auto same = std::find_if(here.begin(), here.end(), [&](const Seat& seat) {
        return seat.slot == seats_[ix(r)].slot;
      });
      if (same == here.end()) break;
      seats.push_back(*same);
    }
    if (seats.size() < ranks.size()) seats.assign(here.begin(), here.begin() + count_of(ranks));
    for (std::size_t i = 0; i < ranks.size(); ++i) seats_[ix(ranks[i])] = seats[i];
  }

  const std::vector<Level>& levels_;
  const SeatPool& pool_;
  std::vector<Seat>& seats_;
  std::vector<std::vector<Seat>> by_host_;
  std::vector<std::vector<int>> ranks_;  ///< by host
  std::vector<char> held_;               ///< by rank: on its pin's host, or as near as it came
};

}  // namespace

void apply_pins(const topo::Topology& topology, const SeatPool& pool,
                const Constraints& constraints, std::vector<Seat>& seats) {
  if (constraints.pins.empty()) return;
  std::vector<bool> fixed(seats.size(), false);
  std::set<std::pair<int, int>> taken;
  for (const auto& seat : seats) taken.insert({seat.host, seat.slot});
  for (const auto& pin : pin_places(topology, constraints)) {
    auto& own = seats[ix(pin.rank)];
    const auto fits = [&](const Seat& seat) {
      return seat.host == pin.host && (pin.gpu < 0 || seat.gpu == pin.gpu);
    };
    fixed[ix(pin.rank)] = true;
    if (fits(own)) continue;
    int holder = -1, on_host = -1;
    for (int r = 0; r < count_of(seats) && holder < 0; ++r) {
      if (fixed[ix(r)]) continue;
      if (fits(seats[ix(r)])) holder = r;
      if (seats[ix(r)].host == pin.host) on_host = r;
    }
    if (holder >= 0) {
      std::swap(own, seats[ix(holder)]);
      continue;
    }
    const auto free = std::find_if(pool.seats.begin(), pool.seats.end(), [&](const Seat& seat) {
      return fits(seat) && taken.count({seat.host, seat.slot}) == 0;
    });
    if (free == pool.seats.end()) continue;  // placement_fault says so
    // If the host is full, somebody there takes this rank's old seat.
    const Seat old = own;
    own = *free;
    taken.insert({own.host, own.slot});
    taken.erase({old.host, old.slot});
    if (on_host >= 0 && old.host != pin.host) {
      taken.erase({seats[ix(on_host)].host, seats[ix(on_host)].slot});
      seats[ix(on_host)] = old;
      taken.insert({old.host, old.slot});
    }
  }
}

void move_blocks_to_pins(const topo::Topology& topology, const Levels& levels, const SeatPool& pool,
                         const Constraints& constraints, std::vector<Seat>& seats) {
  if (constraints.pins.empty()) return;
  // Each pin looks at the hosts of its blocks: so many are moved one by one.
  constexpr std::size_t kMostWork = 5'000'000;
  if (constraints.pins.size() * topology.hosts.size() > kMostWork)
    return apply_pins(topology, pool, constraints, seats);
  BlockMoves moves(levels, pool, seats);
  for (const auto& pin : pin_places(topology, constraints)) moves.bring(pin.rank, pin.host);
  apply_pins(topology, pool, constraints, seats);
}

std::vector<int> pinned_by_host(const topo::Topology& topology, const Constraints& constraints) {
  std::vector<int> pinned(topology.hosts.size(), 0);
  for (const auto& pin : pin_places(topology, constraints)) ++pinned[ix(pin.host)];
  return pinned;
}

}  // namespace topolaunch::mapping
