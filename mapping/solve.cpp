// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/counted.h"
#include "mapping/affinity.h"
#include "mapping/conflict.h"
#include "mapping/host_model.h"
#include "mapping/index.h"
#include "mapping/polish.h"
#include "mapping/reasons.h"
#include "mapping/rules.h"
#include "mapping/block_choice.h"
#include "mapping/solver.h"
#include "mapping/solver/assignment.h"
#include "mapping/solver/host_choice.h"
#include "mapping/solver/solvers.h"

namespace topolaunch::mapping {
namespace {

/// Constraints hold ranks of their own for callers that have no graph; they must agree.
Status check_sizes(const RankGraph& graph, const Constraints& constraints) {
  if (graph.ranks != constraints.ranks)
    return fail(Code::wrong_usage,
                fmt::format("{} is {}, the job has {}", graph.origin, counted(graph.ranks, "rank"),
                            constraints.ranks),
                fmt::format("use -n {}", graph.ranks));
  return {};
}

/// One host whose seats are equally near to each other: every placement costs the same, so the simple
/// orders are search enough and a launch does not wait for more.
bool all_alike(const topo::Topology& topology, const SeatPool& pool) {
  const int host = pool.seats.front().host;
  return std::all_of(pool.seats.begin(), pool.seats.end(), [&](const Seat& seat) { return seat.host == host; }) &&
         HostModel(topology.hosts[ix(host)]).uniform();
}

/// Sets of hosts that hold the job, with what the simple order on each costs; best first.
std::vector<HostCandidate> ranked_candidates(const Problem& problem) {
  constexpr int kMost = 8;
  const auto& topology = problem.topology;
  const auto& constraints = problem.constraints;
  const auto& pool = problem.pool;
  const auto& rules = problem.rules;
  if (pool.total() <= constraints.ranks || topology.hosts.size() < 2) return {};
  auto candidates = host_candidates(rules.levels(), pool.capacity, constraints.ranks, kMost, problem.pinned);
  std::erase_if(candidates, [&](HostCandidate& candidate) {
    auto seats = simple_seats(problem, pool, candidate.hosts);
    if (seats.empty() || !rules.fault(seats).empty()) return true;
    // A pinned rank may sit elsewhere than the set.
    candidate.hosts.clear();
    for (const auto& seat : seats)
      if (std::find(candidate.hosts.begin(), candidate.hosts.end(), seat.host) == candidate.hosts.end())
        candidate.hosts.push_back(seat.host);
    measure_fragments(rules.levels(), pool.capacity, constraints.ranks, candidate);
    const auto score = problem.model.score(seats);
    candidate.seconds = Seconds(score.seconds);
    candidate.hop_bytes = score.hop_bytes;
    return false;
  });
  // Sets that pins have made the same count once.
  std::set<std::set<int>> seen;
  std::erase_if(candidates, [&](const HostCandidate& candidate) {
    return !seen.emplace(candidate.hosts.begin(), candidate.hosts.end()).second;
  });
  std::stable_sort(candidates.begin(), candidates.end(), [&](const HostCandidate& a, const HostCandidate& b) {
    const CostModel::Score x{a.seconds.count(), a.hop_bytes, 0}, y{b.seconds.count(), b.hop_bytes, 0};
    if (better(x, y, constraints.objective) || better(y, x, constraints.objective)) return better(x, y, constraints.objective);
    return std::pair(a.left_over, a.blocks) < std::pair(b.left_over, b.blocks);
  });
  return candidates;
}

/// Takes the best candidate's seats where they cost the same and leave fewer fragments.
bool leaves_less(const Problem& problem, const std::vector<HostCandidate>& candidates, const Incumbent& best,
                 std::vector<Seat>& seats) {
  if (candidates.empty()) return false;
  const auto& first = candidates.front();
  HostCandidate now;
  for (const auto& seat : seats)
    if (now.hosts.empty() || now.hosts.back() != seat.host) now.hosts.push_back(seat.host);
  measure_fragments(problem.rules.levels(), problem.pool.capacity, problem.ranks(), now);
  if (first.left_over >= now.left_over) return false;
  auto other = simple_seats(problem, problem.pool, first.hosts);
  const auto score = problem.model.score(other);
  if (better(best.score(), score, problem.constraints.objective)) return false;
  seats = std::move(other);
  return true;
}

std::vector<RankPlace> places(const topo::Topology& topology, const std::vector<Seat>& seats) {
  std::vector<RankPlace> result(seats.size());
  auto affinities = affinity_of(topology, seats);
  std::vector<int> next(topology.hosts.size(), 0);
  for (int r = 0; r < count_of(seats); ++r) {
    auto& place = result[ix(r)];
    place.rank = r;
    place.seat = seats[ix(r)];
    place.local_rank = next[ix(place.seat.host)]++;
    place.affinity = std::move(affinities[ix(r)]);
  }
  return result;
}

}  // namespace

Solution solution_of(const CostModel& model, const topo::Topology& topology, const RankGraph& graph,
                     const Constraints& constraints, const SeatPool& pool, const std::vector<Seat>& given,
                     const std::vector<Seat>& seats) {
  Solution solution;
  solution.placement = places(topology, seats);
  solution.solution = model.estimate(seats);
  const bool known = std::all_of(given.begin(), given.end(), [](const Seat& seat) { return seat.host >= 0; });
  if (known) solution.given = given == seats ? solution.solution : model.estimate(given);
  solution.given_seats = given;
  solution.spares = pool.spares;
  solution.unmet = pool.unmet;
  explain(topology, pool, graph, constraints, given, solution);
  return solution;
}

Result<Solution> solve(const topo::Topology& topology, const RankGraph& graph, const Constraints& asked,
                       const Solver* own) {
  if (auto status = check_sizes(graph, asked); !status) return fail(status.error());
  const auto failed = [&](const Error& error) { return fail(with_conflict(topology, graph, asked, error)); };
  const auto problem = Problem::make(topology, graph, asked);
  if (!problem) return failed(problem.error());
  const auto& constraints = problem->constraints;
  const auto& pool = problem->pool;
  const auto& model = problem->model;
  const auto given = given_seats(topology, pool, constraints);
  const auto report = [&](const std::string& stage, const CostModel::Score& score) {
    if (constraints.watch && constraints.watch->report) constraints.watch->report(stage, score.seconds, score.hop_bytes);
  };

  Incumbent best(model, constraints.objective, problem->start);
  std::string winner = given == problem->start ? "identity" : "construction";
  if (own) {
    auto seats = own->place(*problem);
    if (!seats) return fail(seats.error());
    if (const auto fault = problem->fault(*seats); !fault.empty())
      return fail(Code::invalid_input, fmt::format("{}: its placement is not allowed: {}", own->name(), fault),
                  "see docs/mapping.md for what it is asked and must answer");
    auto solution = solution_of(model, topology, graph, constraints, pool, given, *seats);
    solution.solver = own->name();
    if (better(best.score(), model.score(*seats), constraints.objective))
      solution.reasons.push_back(fmt::format("{} chose a placement that is predicted to be worse than the given order", own->name()));
    return solution;
  }
  const bool alike = all_alike(topology, pool) && problem->rules.empty();
  const bool small = fits_exhaustive(pool, graph, constraints);
  if (constraints.ranks > 1 && pool.seats.size() > 1) {
    std::vector<std::unique_ptr<Solver>> solvers;
    solvers.push_back(make_orders());
    if (!alike) solvers.push_back(small ? make_exhaustive() : make_hierarchy());
    for (const auto& solver : solvers) {
      if (stopped(constraints.watch)) break;
      report(solver->name(), best.score());
      auto seats = solver->place(*problem);
      if (!seats) return failed(seats.error());
      if (const auto fault = problem->fault(*seats); !fault.empty())
        return fail(Code::internal, fmt::format("solver {}: {}", solver->name(), fault));
      if (best.offer(*seats)) winner = solver->name();
    }
    if (!small && assign(*problem, best)) winner += " + assignment";
    if (!small && !alike && !stopped(constraints.watch)) {
      report("swaps", best.score());
      if (polish(*problem, best)) winner += " + swaps";
    }
  }

  auto candidates = ranked_candidates(*problem);
  auto seats = best.seats();
  bool tidier = leaves_less(*problem, candidates, best, seats);
  // A candidate's hosts say which are used, not how often: filled in order they may break a rule.
  if (tidier && !problem->fault(seats).empty()) {
    seats = best.seats();
    tidier = false;
  }
  auto solution = solution_of(model, topology, graph, constraints, pool, given, seats);
  if (tidier) solution.reasons.insert(solution.reasons.begin(), "these hosts leave fewer seats between others' jobs");
  if (!problem->rules.empty() && given != problem->start)
    solution.reasons.push_back(fmt::format("the given order is not allowed: {}", problem->fault(given)));
  solution.candidates = std::move(candidates);
  solution.solver = winner;
  solution.cut_short = stopped(constraints.watch);
  return solution;
}

}  // namespace topolaunch::mapping
