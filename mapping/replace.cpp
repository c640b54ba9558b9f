// SPDX-License-Identifier: Apache-2.0
#include "mapping/replace.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/counted.h"
#include "mapping/cost.h"
#include "mapping/index.h"
#include "mapping/replacement.h"
#include "mapping/rules.h"
#include "mapping/seat_count.h"
#include "mapping/seats.h"
#include "mapping/solver.h"

namespace topolaunch::mapping {
namespace {

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
  const CostModel model(topology, graph);
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
    Replacement replacement(topology, model, narrowed, *pool, *rules, old_seats, moving);
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
  auto solution = solution_of(model, topology, graph, narrowed, *pool, old_seats, *seats);
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
