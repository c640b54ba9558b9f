// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "mapping/index.h"
#include "mapping/levels.h"
#include "mapping/pins.h"
#include "mapping/solver/gpu_choice.h"
#include "mapping/solver/host_choice.h"
#include "mapping/solver/solvers.h"
#include "mapping/solver/tilings.h"
#include "mapping/solver/whole_groups.h"

namespace topolaunch::mapping {
namespace {

constexpr int kCandidates = 4;

/// Seats host after host, each as full as it may be, until all ranks sit.
std::vector<Seat> block_order(const std::vector<std::vector<Seat>>& by_host, const std::vector<int>& hosts, int ranks) {
  std::vector<Seat> seats;
  seats.reserve(ix(ranks));
  for (const int h : hosts)
    for (const auto& seat : by_host[ix(h)]) {
      if (count_of(seats) == ranks) return seats;
      seats.push_back(seat);
    }
  return seats;
}

/// One seat a host in turn.
std::vector<Seat> round_robin(const std::vector<std::vector<Seat>>& by_host, const std::vector<int>& hosts, int ranks) {
  std::vector<Seat> seats;
  seats.reserve(ix(ranks));
  for (std::size_t turn = 0; count_of(seats) < ranks; ++turn) {
    bool any = false;
    for (const int h : hosts) {
      if (turn >= by_host[ix(h)].size()) continue;
      any = true;
      seats.push_back(by_host[ix(h)][turn]);
      if (count_of(seats) == ranks) return seats;
    }
    if (!any) break;
  }
  return seats;
}

class Orders final : public Solver {
 public:
  std::string name() const override { return "orders"; }

  Result<std::vector<Seat>> place(const Problem& problem) const override {
    const auto& topology = problem.topology;
    const auto& graph = problem.graph;
    const auto& constraints = problem.constraints;
    const auto& pool = problem.pool;
    const auto& levels = problem.nesting;
    const int ranks = problem.ranks();
    Incumbent best(problem.model, constraints.objective, problem.start);
    const auto offer = [&](std::vector<Seat> seats) {
      if (count_of(seats) != ranks || stopped(constraints.watch)) return;
      seats = problem.on_pins(std::move(seats));
      if (problem.fault(seats).empty()) best.offer(seats);
    };

    // Hosts in several orders: as given, sorted by the fabric, the most compact choices.
    std::vector<int> given_hosts;
    for (int h = 0; h < count_of(pool.capacity); ++h)
      if (pool.capacity[ix(h)] > 0) given_hosts.push_back(h);
    auto sorted_hosts = given_hosts;
    std::stable_sort(sorted_hosts.begin(), sorted_hosts.end(), [&](int a, int b) {
      for (int l = count_of(levels.levels) - 1; l > 0; --l) {
        const auto& block = levels.levels[ix(l)].block;
        if (block[ix(a)] != block[ix(b)]) return block[ix(a)] < block[ix(b)];
      }
      return false;
    });
    std::vector<std::vector<int>> host_orders = {given_hosts, sorted_hosts};
    for (auto& candidate : host_candidates(levels, pool.capacity, ranks, kCandidates, problem.pinned))
      host_orders.push_back(std::move(candidate.hosts));
    const auto compact = compact_hosts(levels, pool.capacity, ranks, problem.pinned);
    host_orders.erase(std::unique(host_orders.begin(), host_orders.end()), host_orders.end());

    // GPUs of a host: the first ones, or those that are best together.
    const auto offer_all = [&](const SeatPool& seats, const std::vector<std::vector<int>>& orders,
                               const std::vector<int>& filled) {
      const auto first = seats_by_host(seats, topology);
      const auto chosen = best_seats_by_host(seats, topology, graph, filled, ranks);
      for (const auto& hosts : orders)
        for (const auto* by_host : {&first, &chosen}) {
          const auto line = block_order(*by_host, hosts, ranks);
          if (count_of(line) != ranks) continue;
          offer(line);
          offer(round_robin(*by_host, hosts, ranks));
          each_tiling(graph, line, constraints.effort, offer);
          if (first == chosen) break;
        }
    };
    offer_all(pool, host_orders, compact);
    // Hosts that are not filled to the brim, where that would cut groups.
    auto less = pool;
    for (auto& capacity : whole_group_capacities(levels, graph, pool.capacity, ranks, problem.pinned)) {
      less.capacity = std::move(capacity);
      const auto filled = compact_hosts(levels, less.capacity, ranks, problem.pinned);
      offer_all(less, {filled, sorted_hosts}, filled);
    }
    return best.seats();
  }
};

}  // namespace

std::vector<Seat> simple_seats(const Problem& problem, const SeatPool& pool, const std::vector<int>& hosts) {
  const auto& topology = problem.topology;
  const int ranks = problem.ranks();
  auto seats = block_order(best_seats_by_host(pool, topology, problem.graph, hosts, ranks), hosts, ranks);
  if (count_of(seats) != ranks) return {};
  move_blocks_to_pins(topology, problem.rules.levels(), pool, problem.constraints, seats);
  if (!placement_fault(topology, pool, problem.constraints, seats).empty()) return {};
  return seats;
}

std::unique_ptr<Solver> make_orders() { return std::make_unique<Orders>(); }

}  // namespace topolaunch::mapping
