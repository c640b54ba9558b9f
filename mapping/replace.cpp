// SPDX-License-Identifier: Apache-2.0
#include "mapping/replace.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "mapping/cost.h"
#include "mapping/host_model.h"
#include "mapping/index.h"
#include "mapping/rules.h"
#include "mapping/seats.h"
#include "mapping/solver.h"
#include "mapping/solver/gpu_choice.h"
#include "mapping/solver/solvers.h"

namespace topolaunch::mapping {
namespace {

constexpr int kMostHostsTried = 256;  ///< nearest first
constexpr int kMostPasses = 4;        ///< of swaps among the ranks that move

std::string counted(int n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

class Replacement {
 public:
  Replacement(const topo::Topology& topology, const RankGraph& graph,
              const Constraints& constraints, const SeatPool& pool, const Rules& rules,
              const std::vector<Seat>& old_seats, std::vector<int> moving)
      : topology_(topology),
        constraints_(constraints),
        pool_(pool),
        rules_(rules),
        old_(old_seats),
        moving_(std::move(moving)),
        model_(topology, graph),
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

  int free_seats() const {
    return std::accumulate(free_.begin(), free_.end(), 0,
                           [](int n, const auto& list) { return n + count_of(list); });
  }

  /// Nothing if no way to seat them holds the rules.
  std::optional<std::vector<Seat>> run() {
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
    if (!best_) return std::nullopt;
    for (int pass = 0; pass < kMostPasses && improve(); ++pass) {
    }
    return best_->seats();
  }

 private:
  /// Hosts with free seats, those nearest to the ranks that stay first.
  std::vector<int> hosts_by_nearness() const {
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
  std::vector<Seat> seats_on(const std::vector<int>& hosts) const {
    auto seats = old_;
    std::size_t next = 0;
    for (const int h : hosts) {
      auto list = free_[ix(h)];
      const auto wanted = moving_.size() - next;
      const bool gpus = std::all_of(list.begin(), list.end(),
                                    [](const Seat& s) { return s.gpu >= 0 && s.gpu == s.slot; });
      if (gpus && wanted < list.size()) {
        std::vector<int> usable;
        for (const auto& seat : list) usable.push_back(seat.gpu);
        list.clear();
        for (const int g :
             best_gpus(HostModel(topology_.hosts[ix(h)]), usable, static_cast<int>(wanted)))
          list.push_back({h, g, g});
      }
      for (const auto& seat : list) {
        if (next == moving_.size()) break;
        seats[ix(moving_[next++])] = seat;
      }
      if (next == moving_.size()) break;
    }
    if (next < moving_.size()) return {};
    apply_gpu_pins(seats);
    return seats;
  }

  /// A moving rank that is pinned takes its pin from the moving rank that got it.
  void apply_gpu_pins(std::vector<Seat>& seats) const {
    for (const auto& pin : constraints_.pins)
      for (const int r : moving_) {
        const auto& seat = seats[ix(r)];
        if (topology_.hosts[ix(seat.host)].name != pin.host ||
            (pin.gpu >= 0 && seat.gpu != pin.gpu))
          continue;
        if (std::find(moving_.begin(), moving_.end(), pin.rank) != moving_.end())
          std::swap(seats[ix(pin.rank)], seats[ix(r)]);
        break;
      }
  }

  void offer(const std::vector<Seat>& seats) {
    if (seats.empty() || !placement_fault(topology_, pool_, constraints_, seats).empty() ||
        !rules_.fault(seats).empty())
      return;
    if (best_)
      best_->offer(seats);
    else
      best_.emplace(model_, constraints_.objective, seats);
  }

  /// Moving ranks change seats with each other.
  bool improve() {
    bool better = false;
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

  const topo::Topology& topology_;
  const Constraints& constraints_;
  const SeatPool& pool_;
  const Rules& rules_;
  const std::vector<Seat>& old_;
  std::vector<int> moving_;
  CostModel model_;
  std::vector<std::vector<Seat>> free_;
  std::optional<Incumbent> best_;
};

}  // namespace

Result<Solution> replace_hosts(const topo::Topology& topology, const RankGraph& graph,
                               const Constraints& constraints, const std::vector<Seat>& old_seats,
                               const std::vector<std::string>& lost) {
  if (count_of(old_seats) != graph.ranks || constraints.ranks != graph.ranks)
    return fail(Code::wrong_usage, fmt::format("the old plan has {}, the job {}",
                                               counted(count_of(old_seats), "rank"), graph.ranks));
  Constraints narrowed = constraints;
  std::set<int> gone;
  for (const auto& name : lost)
    for (int h = 0; h < count_of(topology.hosts); ++h)
      if (topology.hosts[ix(h)].name == name)
        gone.insert(h), narrowed.excluded_hosts.push_back(name);
  std::vector<int> moving, staying;
  for (int r = 0; r < graph.ranks; ++r) {
    const int h = old_seats[ix(r)].host;
    (h < 0 || gone.count(h) ? moving : staying).push_back(r);
  }
  // Blocks and spares are chosen around the ranks that stay.
  Constraints held = narrowed;
  if (!narrowed.require_level.empty() || !narrowed.prefer_level.empty() || !narrowed.near.empty() ||
      narrowed.spares > 0) {
    std::set<int> pinned;
    for (const auto& pin : narrowed.pins) pinned.insert(pin.rank);
    for (const int r : staying)
      if (!pinned.count(r)) held.pins.push_back({r, topology.hosts[ix(old_seats[ix(r)].host)].name, -1});
  }
  const auto pool = seat_pool(topology, held);
  if (!pool) return fail(pool.error());
  const auto rules = Rules::make(topology, graph, narrowed);
  if (!rules) return fail(rules.error());
  for (const int r : staying)
    if (pool->capacity[ix(old_seats[ix(r)].host)] == 0)
      return fail(Code::infeasible,
                  fmt::format("rank {} stays on {}, which the constraints shut out", r,
                              topology.hosts[ix(old_seats[ix(r)].host)].name),
                  "name that host with --replace too, or loosen the constraint");
  Replacement replacement(topology, graph, narrowed, *pool, *rules, old_seats, moving);
  const auto list = fmt::format("{}", fmt::join(lost, ","));
  if (replacement.free_seats() < count_of(moving))
    return fail(
        Code::infeasible,
        fmt::format("--replace {}: {} must move, {} free", list, counted(count_of(moving), "rank"),
                    counted(replacement.free_seats(), "seat")),
        "add hosts to the topology, or plan anew without --from");
  const auto seats = moving.empty() ? std::optional(old_seats) : replacement.run();
  if (!seats)
    return fail(
        Code::infeasible,
        fmt::format("--replace {}: the {} that must move find no seats that hold the constraints",
                    list, counted(count_of(moving), "rank")),
        "plan anew without --from");
  auto solution = solution_of(topology, graph, narrowed, *pool, old_seats, *seats);
  solution.solver = "replacement";
  std::map<std::string, int> onto;
  for (const int r : moving) ++onto[topology.hosts[ix((*seats)[ix(r)].host)].name];
  std::string where;
  for (const auto& [name, count] : onto)
    where += fmt::format("{}{} to {}", where.empty() ? "" : ", ", count, name);
  solution.reasons.insert(solution.reasons.begin(),
                          moving.empty() ? fmt::format("no rank was on {}: nothing moves", list)
                                         : fmt::format("{} of {}: {}; {} stay where they are",
                                                       counted(count_of(moving), "rank"), list,
                                                       where, counted(count_of(staying), "rank")));
  solution.cut_short = stopped(constraints.watch);
  return solution;
}

}  // namespace topolaunch::mapping
