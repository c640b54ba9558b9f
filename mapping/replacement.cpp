// SPDX-License-Identifier: Apache-2.0
#include "mapping/replacement.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "mapping/construct.h"
#include "mapping/host_model.h"
#include "mapping/index.h"
#include "mapping/solver/gpu_choice.h"

namespace topolaunch::mapping {
namespace {

constexpr int kMostHostsTried = 256;  ///< nearest first
constexpr int kMostPasses = 4;        ///< of swaps among the ranks that move

constexpr std::size_t kMostMoves = 4096;  ///< to free seats, tried one by one

}  // namespace

Replacement::Replacement(const topo::Topology& topology, const CostModel& model,
                         const Constraints& constraints, const SeatPool& pool, const Rules& rules,
                         const std::vector<Seat>& old_seats, std::vector<int> moving)
    : topology_(topology),
      model_(model),
      constraints_(constraints),
      pool_(pool),
      rules_(rules),
      old_(old_seats),
      moving_(std::move(moving)),
      free_(topology.hosts.size()) {
  std::set<std::pair<int, int>> taken;
  std::vector<int> left = pool.capacity;
  std::vector<char> moves(old_.size(), 0);
  for (const int r : moving_) moves[ix(r)] = 1;
  for (int r = 0; r < count_of(old_); ++r)
    if (!moves[ix(r)])
      taken.insert({old_[ix(r)].host, old_[ix(r)].slot}), --left[ix(old_[ix(r)].host)];
  for (const auto& seat : pool.seats)
    if (!taken.count({seat.host, seat.slot}) &&
        count_of(free_[ix(seat.host)]) < left[ix(seat.host)])
      free_[ix(seat.host)].push_back(seat);
}

int Replacement::free_seats() const {
  return std::accumulate(free_.begin(), free_.end(), 0,
                         [](int n, const auto& list) { return n + count_of(list); });
}

std::optional<std::vector<Seat>> Replacement::run() {
  const int wanted = count_of(moving_);
  auto hosts = hosts_by_nearness();
  int tried = 0;
  for (const int h : hosts)
    if (count_of(free_[ix(h)]) >= wanted && tried++ < kMostHostsTried) offer(seats_on({h}));
  // No host takes them all: the nearest ones, then the fullest use of the fewest.
  if (!best_) {
    offer(seats_on(hosts));
    std::stable_sort(hosts.begin(), hosts.end(),
                     [&](int a, int b) { return free_[ix(a)].size() > free_[ix(b)].size(); });
    offer(seats_on(hosts));
  }
  if (!best_) offer(constructed());
  if (!best_) return std::nullopt;
  for (int pass = 0; pass < kMostPasses && improve(); ++pass) {
  }
  return best_->seats();
}

/// Hosts with free seats, those nearest to the ranks that stay first.
std::vector<int> Replacement::hosts_by_nearness() const {
  const auto& levels = rules_.levels();
  std::vector<int> hosts, far(topology_.hosts.size(), 0);
  for (int h = 0; h < count_of(free_); ++h)
    if (!free_[ix(h)].empty()) hosts.push_back(h);
  for (const auto& level : levels.levels) {
    std::vector<int> ranks(ix(level.blocks), 0);
    for (const auto& seat : old_)
      if (seat.host >= 0) ++ranks[ix(level.block[ix(seat.host)])];
    for (const int h : hosts) far[ix(h)] += ranks[ix(level.block[ix(h)])];
  }
  std::stable_sort(hosts.begin(), hosts.end(),
                   [&](int a, int b) { return far[ix(a)] > far[ix(b)]; });
  return hosts;
}

/// All seats with the moving ranks on `hosts`, filled in this order; empty if they do not fit.
std::vector<Seat> Replacement::seats_on(const std::vector<int>& hosts) const {
  std::vector<int> host_of_moving;
  for (const int h : hosts)
    for (std::size_t i = 0; i < free_[ix(h)].size() && host_of_moving.size() < moving_.size(); ++i)
      host_of_moving.push_back(h);
  if (host_of_moving.size() < moving_.size()) return {};
  return seats_of(host_of_moving);
}

/// Any that holds the rules, by search: the others stay as if pinned. Empty if there is none.
std::vector<Seat> Replacement::constructed() {
  auto constraints = constraints_;
  std::set<int> moves(moving_.begin(), moving_.end()), pinned;
  for (const auto& pin : constraints.pins) pinned.insert(pin.rank);
  for (int r = 0; r < count_of(old_); ++r)
    if (moves.count(r) == 0 && pinned.count(r) == 0)
      constraints.pins.push_back({r, topology_.hosts[ix(old_[ix(r)].host)].name, -1});
  const auto made = construct(topology_, pool_, constraints, rules_);
  proved_ = made.proved;
  if (!made.seats) return {};
  std::vector<int> host_of_moving;
  for (const int r : moving_) host_of_moving.push_back((*made.seats)[ix(r)].host);
  return seats_of(host_of_moving);
}

/// All seats with each moving rank on its host, on the best free GPUs there.
std::vector<Seat> Replacement::seats_of(const std::vector<int>& host_of_moving) const {
  auto seats = old_;
  std::map<int, std::vector<int>> movers;
  for (std::size_t i = 0; i < moving_.size(); ++i) movers[host_of_moving[i]].push_back(moving_[i]);
  for (const auto& [h, ranks] : movers) {
    auto list = free_[ix(h)];
    const bool gpus = std::all_of(list.begin(), list.end(),
                                  [](const Seat& s) { return s.gpu >= 0 && s.gpu == s.slot; });
    if (gpus && ranks.size() < list.size()) {
      std::vector<int> usable;
      for (const auto& seat : list) usable.push_back(seat.gpu);
      list.clear();
      for (const int g : best_gpus(HostModel(topology_.hosts[ix(h)]), usable, count_of(ranks)))
        list.push_back({h, g, g});
    }
    for (std::size_t i = 0; i < ranks.size() && i < list.size(); ++i) seats[ix(ranks[i])] = list[i];
  }
  apply_gpu_pins(seats);
  return seats;
}

/// A moving rank that is pinned takes its pin from the moving rank that got it.
void Replacement::apply_gpu_pins(std::vector<Seat>& seats) const {
  for (const auto& pin : constraints_.pins)
    for (const int r : moving_) {
      const auto& seat = seats[ix(r)];
      if (topology_.hosts[ix(seat.host)].name != pin.host || (pin.gpu >= 0 && seat.gpu != pin.gpu))
        continue;
      if (std::find(moving_.begin(), moving_.end(), pin.rank) != moving_.end())
        std::swap(seats[ix(pin.rank)], seats[ix(r)]);
      break;
    }
}

void Replacement::offer(const std::vector<Seat>& seats) {
  if (seats.empty() || !placement_fault(topology_, pool_, constraints_, seats).empty() ||
      !rules_.fault(seats).empty())
    return;
  if (best_)
    best_->offer(seats);
  else
    best_.emplace(model_, constraints_.objective, seats);
}

/// Moving ranks change seats with each other, and take free ones.
bool Replacement::improve() {
  bool better = false;
  std::set<std::pair<int, int>> taken;
  for (const int r : moving_)
    taken.insert({best_->seats()[ix(r)].host, best_->seats()[ix(r)].slot});
  if (moving_.size() * ix(free_seats()) <= kMostMoves)
    for (const int r : moving_)
      for (const auto& list : free_)
        for (const auto& seat : list) {
          if (stopped(constraints_.watch)) return false;
          if (taken.count({seat.host, seat.slot})) continue;
          auto seats = best_->seats();
          const auto old = seats[ix(r)];
          seats[ix(r)] = seat;
          if (!placement_fault(topology_, pool_, constraints_, seats).empty() ||
              !rules_.hold(seats, {r}) || !best_->offer(seats))
            continue;
          better = true;
          taken.erase({old.host, old.slot});
          taken.insert({seat.host, seat.slot});
        }
  for (std::size_t i = 0; i < moving_.size(); ++i)
    for (std::size_t j = i + 1; j < moving_.size(); ++j) {
      if (stopped(constraints_.watch)) return false;
      auto seats = best_->seats();
      std::swap(seats[ix(moving_[i])], seats[ix(moving_[j])]);
      if (!placement_fault(topology_, pool_, constraints_, seats).empty() ||
          !rules_.hold(seats, {moving_[i], moving_[j]}))
        continue;
      better = best_->offer(seats) || better;
    }
  return better;
}

}  // namespace topolaunch::mapping
