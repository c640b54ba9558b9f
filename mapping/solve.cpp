// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "mapping/affinity.h"
#include "mapping/host_model.h"
#include "mapping/index.h"
#include "mapping/polish.h"
#include "mapping/reasons.h"
#include "mapping/solver.h"
#include "mapping/solver/solvers.h"

namespace topolaunch::mapping {
namespace {

/// Constraints hold ranks of their own for callers that have no graph; they must agree.
Status check_sizes(const RankGraph& graph, const Constraints& constraints) {
  if (graph.ranks != constraints.ranks)
    return fail(Code::wrong_usage,
                fmt::format("{} is {} ranks, the job has {}", graph.origin, graph.ranks, constraints.ranks),
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

Result<Solution> solve(const topo::Topology& topology, const RankGraph& graph, const Constraints& constraints) {
  if (auto status = check_sizes(graph, constraints); !status) return fail(status.error());
  const auto pool = seat_pool(topology, constraints);
  if (!pool) return fail(pool.error());
  const auto given = given_seats(topology, *pool, constraints);
  if (const auto fault = placement_fault(topology, *pool, constraints, given); !fault.empty())
    return fail(Code::infeasible, fmt::format("the constraints cannot hold together: {}", fault));

  const CostModel model(topology, graph);
  Incumbent best(model, constraints.objective, given);
  std::string winner = "identity";
  int tried = 1;
  if (constraints.ranks > 1 && pool->seats.size() > 1) {
    const bool small = fits_exhaustive(*pool, graph, constraints);
    std::vector<std::unique_ptr<Solver>> solvers;
    solvers.push_back(make_orders());
    if (!all_alike(topology, *pool)) solvers.push_back(small ? make_exhaustive() : make_hierarchy());
    for (const auto& solver : solvers) {
      auto seats = solver->place(topology, graph, constraints);
      ++tried;
      if (!seats) return fail(seats.error());
      if (const auto fault = placement_fault(topology, *pool, constraints, *seats); !fault.empty())
        return fail(Code::internal, fmt::format("solver {}: {}", solver->name(), fault));
      if (best.offer(*seats)) winner = solver->name();
    }
    if (!small && !all_alike(topology, *pool) && polish(topology, *pool, graph, constraints, best)) winner += " + swaps";
  }

  Solution solution;
  solution.placement = places(topology, best.seats());
  solution.given = model.estimate(given);
  solution.solution = model.estimate(best.seats());
  solution.solver = winner;
  explain(topology, *pool, graph, constraints, given, solution);
  return solution;
}

}  // namespace topolaunch::mapping
