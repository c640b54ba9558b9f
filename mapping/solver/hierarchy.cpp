// SPDX-License-Identifier: Apache-2.0
//
// From topology and seats to a tree of places and back.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "mapping/index.h"
#include "mapping/levels.h"
#include "mapping/solver/gpu_choice.h"
#include "mapping/solver/host_choice.h"
#include "mapping/solver/solvers.h"
#include "mapping/solver/tree_search.h"
#include "mapping/solver/whole_groups.h"

namespace topolaunch::mapping {
namespace {

/// Past this the tilings of known groups have to do.
constexpr int kMostSearched = 300'000;

SearchEffort effort_of(Constraints::Effort effort, int ranks) {
  switch (effort) {
    case Constraints::Effort::fast: return {1, 1, ranks <= 4096 ? 100'000 : 0, nullptr};
    case Constraints::Effort::standard: return {4, 4, 1'000'000, nullptr};
    case Constraints::Effort::best: return {16, 8, 50'000'000, nullptr};
  }
  return {};
}

/// Looked at for the distance of a level.
constexpr int kMostPairs = 256;

/// Hosts as innermost blocks, the fabric's levels around them; distances of the cost model as integers.
PlaceTree tree_of(const CostModel& model, const Levels& levels, const std::vector<Seat>& seats, bool by_pair) {
  PlaceTree tree;
  tree.places = count_of(seats);
  std::vector<double> distance;
  // Inside a host: the mean over some pairs; single links are left to the last acceptance.
  double inside = 0;
  int pairs = 0;
  for (int p = 1; p < tree.places && pairs < 64; ++p)
    if (seats[ix(p)].host == seats[ix(p - 1)].host) inside += model.distance(seats[ix(p - 1)], seats[ix(p)]), ++pairs;
  distance.push_back(pairs > 0 ? inside / pairs : 1);

  // Outermost first, so that every level's blocks lie inside those of the next.
  const int count = count_of(levels.levels);
  tree.block.resize(ix(count));
  std::vector<int> above(ix(tree.places), 0);
  for (int l = count - 1; l >= 0; --l) {
    std::map<std::pair<int, int>, int> number;
    for (int p = 0; p < tree.places; ++p)
      above[ix(p)] = number.emplace(std::pair(above[ix(p)], levels.levels[ix(l)].block[ix(seats[ix(p)].host)]), count_of(number))
                         .first->second;
    tree.block[ix(l)] = above;
  }
  // Two hosts that part at a level give its distance; where each pair has its own, the mean of some.
  const int most = by_pair ? kMostPairs : 1;
  for (int l = 0; l < count; ++l) {
    double sum = 0;
    int found = 0;
    for (int step = 1; step < tree.places && found < most; step = by_pair ? 2 * step + 1 : tree.places)
      for (int p = step; p < tree.places && found < most; ++p)
        if (tree.level_between(p - step, p) == l + 1) sum += model.distance(seats[ix(p - step)], seats[ix(p)]), ++found;
    distance.push_back(std::max(found > 0 ? sum / found : distance.back(), distance.back()));
  }
  bool whole = true;
  for (const double d : distance) whole = whole && d == std::floor(d) && d < 1e6;
  double least = distance.front();
  for (const double d : distance) least = d > 0 ? std::min(least, d) : least;
  for (const double d : distance)
    tree.distance.push_back(whole ? static_cast<std::int64_t>(d)
                                  : std::llround(std::min(d / std::max(least, 1e-9), 1e9) * 1000));
  return tree;
}

class Hierarchy final : public Solver {
 public:
  std::string name() const override { return "hierarchy"; }

  Result<std::vector<Seat>> place(const Problem& problem) const override {
    const auto& graph = problem.graph;
    const auto& constraints = problem.constraints;
    const auto& pool = problem.pool;
    const auto& model = problem.model;
    const auto& levels = problem.nesting;
    const bool by_pair = !problem.topology.fabric.host_distances.empty();
    const auto& given = problem.start;
    const int ranks = problem.ranks();
    Incumbent best(model, constraints.objective, given);
    const auto offer = [&](const std::vector<Seat>& seats) {
      if (problem.fault(seats).empty()) best.offer(seats);
    };
    const bool searched = ranks <= kMostSearched;
    const auto edges = searched ? comm_graph_of(graph) : CommGraph();
    if (searched && edges.arcs() == 0) return given;

    // The seats of the given order, and those of the compact choice where there are more than needed.
    std::vector<std::vector<Seat>> choices = {given};
    if (pool.total() > ranks || count_of(pool.seats) > ranks) {
      const auto choose = [&](const SeatPool& seats) {
        return simple_seats(problem, seats, compact_hosts(levels, seats.capacity, ranks, problem.pinned));
      };
      if (auto compact = choose(pool); !compact.empty() && compact != given) choices.push_back(std::move(compact));
      // Of the hosts that are not filled to the brim, those that do best as they are.
      Incumbent partly(model, constraints.objective, choices.back());
      auto less = pool;
      for (auto& capacity : whole_group_capacities(levels, graph, pool.capacity, ranks, problem.pinned)) {
        less.capacity = std::move(capacity);
        if (const auto seats = choose(less); !seats.empty()) partly.offer(seats);
      }
      if (partly.seats() != choices.back()) choices.push_back(partly.seats());
    }
    std::vector<char> pins;
    if (!constraints.pins.empty()) {
      pins.assign(ix(ranks), 0);
      for (const auto& pin : constraints.pins) pins[ix(pin.rank)] = 1;
    }
    // Ranks on these seats in the order that gives the least J; those that are fixed stay.
    const auto arranged = [&](const std::vector<Seat>& seats, const std::vector<char>& fixed) {
      const auto tree = tree_of(model, levels, seats, by_pair);
      std::vector<int> start(ix(ranks));
      std::iota(start.begin(), start.end(), 0);
      auto effort = effort_of(constraints.effort, ranks);
      effort.watch = constraints.watch.get();
      const auto place = search_tree(edges, tree, {start}, constraints.seed, effort, fixed);
      std::vector<Seat> solved(ix(ranks));
      for (int r = 0; r < ranks; ++r) solved[ix(r)] = seats[ix(place[ix(r)])];
      return solved;
    };
    for (const auto& seats : choices) {
      offer(seats);
      if (!searched) continue;
      auto solved = arranged(seats, {});
      if (!pins.empty()) {
        // As if nothing were pinned, then whole blocks to the pins, then what is still free around them.
        solved = problem.on_pins(std::move(solved));
        offer(solved);
        offer(arranged(seats, pins));
        solved = arranged(solved, pins);
      }
      offer(solved);
    }
    return best.seats();
  }
};

}  // namespace

std::unique_ptr<Solver> make_hierarchy() { return std::make_unique<Hierarchy>(); }

}  // namespace topolaunch::mapping
