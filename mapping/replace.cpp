// SPDX-License-Identifier: Apache-2.0
#include "mapping/replace.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "base/counted.h"
#include "mapping/construct.h"
#include "mapping/cost.h"
#include "mapping/host_model.h"
#include "mapping/index.h"
#include "mapping/rules.h"
#include "mapping/seat_count.h"
#include "mapping/seats.h"
#include "mapping/solver.h"
#include "mapping/solver/gpu_choice.h"
#include "mapping/solver/solvers.h"

namespace topolaunch::mapping {
namespace {

constexpr int kMostHostsTried = 256;  ///< nearest first
constexpr int kMostPasses = 4;        ///< of swaps among the ranks that move

constexpr std::size_t kMostMoves = 4096;  ///< to free seats, tried one by one

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

  /// Without an answer: every way to seat them in this pool was tried.
  bool proved() const { return proved_; }

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
    if (!best_) offer(constructed());
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
    std::vector<int> host_of_moving;
    for (const int h : hosts)
      for (std::size_t i = 0; i < free_[ix(h)].size() && host_of_moving.size() < moving_.size();
           ++i)
        host_of_moving.push_back(h);
    if (host_of_moving.size() < moving_.size()) return {};
    return seats_of(host_of_moving);
  }

  /// Any that holds the rules, by search: the others stay as if pinned. Empty if there is none.
  std::vector<Seat> constructed() {
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
  std::vector<Seat> seats_of(const std::vector<int>& host_of_moving) const {
    auto seats = old_;
    std::map<int, std::vector<int>> movers;
    for (std::size_t i = 0; i < moving_.size(); ++i)
      movers[host_of_moving[i]].push_back(moving_[i]);
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
      for (std::size_t i = 0; i < ranks.size() && i < list.size(); ++i)
        seats[ix(ranks[i])] = list[i];
    }
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

  /// Moving ranks change seats with each other, and take free ones.
  bool improve() {
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

  const topo::Topology& topology_;
  const Constraints& constraints_;
  const SeatPool& pool_;
  const Rules& rules_;
  const std::vector<Seat>& old_;
  std::vector<int> moving_;
  CostModel model_;
  std::vector<std::vector<Seat>> free_;
  std::optional<Incumbent> best_;
  bool proved_ = false;
};

/// What of the request the ranks that stay break where they are, in words; empty if nothing.
std::string staying_fault(const topo::Topology& topology, const Constraints& constraints,
                          const Rules& rules, const std::vector<Seat>& old_seats,
                          const std::vector<int>& moving, const std::set<int>& gone) {
  const auto free = free_seats(topology, constraints);
  auto staying = old_seats;
  for (const int r : moving) staying[ix(r)].host = -1;
  for (int r = 0; r < count_of(staying); ++r)
    if (const int h = staying[ix(r)].host; h >= 0 && free[ix(h)] == 0)
      return fmt::format("rank {} stays on {}, which the constraints shut out", r,
                         topology.hosts[ix(h)].name);
  for (const auto& pin : constraints.pins) {
    if (pin.rank < 0 || pin.rank >= count_of(staying)) continue;  // seat_pool says so
    for (const int h : gone)
      if (topology.hosts[ix(h)].name == pin.host)
        return fmt::format("--pin {}={}: that host is being replaced", pin.rank, pin.host);
    const auto& seat = staying[ix(pin.rank)];
    if (seat.host >= 0 &&
        (topology.hosts[ix(seat.host)].name != pin.host || (pin.gpu >= 0 && seat.gpu != pin.gpu)))
      return fmt::format("rank {} stays on {}, which is not its --pin", pin.rank,
                         topology.hosts[ix(seat.host)].name);
  }
  const auto fault = rules.fault(staying);
  return fault.empty() ? "" : "the ranks that stay break " + fault;
}

Result<Solution> replaced(const topo::Topology& topology, const RankGraph& graph,
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
      !narrowed.spread_level.empty() || narrowed.spares > 0) {
    std::set<int> pinned;
    for (const auto& pin : narrowed.pins) pinned.insert(pin.rank);
    for (const int r : staying)
      if (!pinned.count(r))
        held.pins.push_back({r, topology.hosts[ix(old_seats[ix(r)].host)].name, -1});
  }
  const auto rules = Rules::make(topology, graph, narrowed);
  if (!rules) return fail(rules.error());
  const auto list = fmt::format("{}", fmt::join(lost, ","));
  if (const auto fault = staying_fault(topology, narrowed, *rules, old_seats, moving, gone);
      !fault.empty())
    return fail(Code::infeasible, fmt::format("--replace {}: {}", list, fault),
                "name their hosts with --replace too, or loosen the constraint");
  // The other blocks and spares are tried, too.
  constexpr int kMostChoices = 64;
  std::optional<SeatPool> pool;
  std::optional<std::vector<Seat>> seats;
  std::optional<Error> why_not;
  bool all_tried = true;
  const auto no = [&](std::string what, std::string next) {
    if (!why_not) why_not = Error{Code::infeasible, std::move(what), std::move(next), {}, 0};
  };
  int choices = 1;
  for (int i = 0; i < choices && i < kMostChoices && !seats && !stopped(constraints.watch); ++i) {
    NarrowingChoice choice;
    choice.fixed = "staying";
    choice.number = i;
    choice.of = &choices;
    auto found = seat_pool(topology, held, choice);
    if (!found) {
      if (!why_not) why_not = std::move(found).error();
      continue;
    }
    pool = std::move(*found);
    const auto out = std::ranges::find_if(
        staying, [&](int r) { return pool->capacity[ix(old_seats[ix(r)].host)] == 0; });
    if (out != staying.end()) {
      no(fmt::format("rank {} stays on {}, which the constraints shut out", *out,
                     topology.hosts[ix(old_seats[ix(*out)].host)].name),
         "name that host with --replace too, or loosen the constraint");
      continue;
    }
    Replacement replacement(topology, graph, narrowed, *pool, *rules, old_seats, moving);
    if (replacement.free_seats() < count_of(moving)) {
      no(fmt::format("--replace {}: {} must move, {} free", list, counted(count_of(moving), "rank"),
                     counted(replacement.free_seats(), "seat")),
         "add hosts to the topology, or plan anew without --from");
      continue;
    }
    seats = moving.empty() ? std::optional(old_seats) : replacement.run();
    all_tried = all_tried && replacement.proved();
  }
  if (!seats && why_not) return fail(std::move(*why_not));
  if (!seats)
    return fail(
        Code::infeasible,
        fmt::format("--replace {}: {} for {} that must move while the others stay holds "
                    "the constraints",
                    list,
                    all_tried && choices <= kMostChoices ? "no choice of seats"
                                                         : "no choice of seats that was tried",
                    counted(moving.size(), "rank")),
        "let others move too: --from without --replace");
  auto solution = solution_of(CostModel(topology, graph), topology, graph, narrowed, *pool, old_seats, *seats);
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

}  // namespace

Result<Solution> replace_hosts(const topo::Topology& topology, const RankGraph& graph,
                               const Constraints& constraints, const std::vector<Seat>& old_seats,
                               const std::vector<std::string>& lost) {
  auto solution = replaced(topology, graph, constraints, old_seats, lost);
  if (solution || solution.error().code != Code::infeasible || constraints.spread_level.empty())
    return solution;
  // The ranks that stay may leave no even spread: it gives way.
  auto loose = constraints;
  loose.spread_level.clear();
  auto uneven = replaced(topology, graph, loose, old_seats, lost);
  if (!uneven) return solution;
  uneven->unmet.push_back(
      fmt::format("--spread {}: not as even as a new plan would be, because "
                  "other ranks stay",
                  constraints.spread_level));
  uneven->reasons.push_back(uneven->unmet.back());
  return uneven;
}

}  // namespace topolaunch::mapping
