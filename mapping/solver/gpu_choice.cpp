// SPDX-License-Identifier: Apache-2.0
#include "mapping/solver/gpu_choice.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>

#include "mapping/constants.h"
#include "mapping/index.h"

namespace topolaunch::mapping {
namespace {

constexpr double kMaxSubsets = 20000;

/// Allreduce bandwidth, then closeness.
std::pair<double, double> worth(const HostModel& model, const std::vector<int>& gpus) {
  if (count_of(gpus) < 2) {
    // One GPU: the one with the fastest way out.
    double net = 0;
    for (const int g : gpus)
      for (const int n : model.nics(g)) net = std::max(net, std::min(model.nic(n), model.pcie(g)));
    return {net, 0};
  }
  const auto& local = model.local(gpus);
  const double n = count_of(gpus);
  const double algbw = std::max({local.ring * n / (2 * (n - 1)), local.tree * constants::kTreeEfficiency * 0.5,
                                 local.nvls ? local.nvls_bandwidth : 0});
  return {algbw, -model.mean_inverse(gpus)};
}

bool clearly_more(std::pair<double, double> a, std::pair<double, double> b) {
  if (a.first != b.first) return a.first > b.first * (1 + 1e-9);
  return a.second > b.second + 1e-12;
}

}  // namespace

std::vector<int> best_gpus(const HostModel& model, const std::vector<int>& gpus, int k) {
  if (k >= count_of(gpus) || k <= 0) return gpus;
  double subsets = 1;
  for (int i = 0; i < k; ++i) subsets = subsets * (count_of(gpus) - i) / (i + 1);
  std::vector<int> best;
  std::pair<double, double> most;
  if (subsets <= kMaxSubsets) {
    std::vector<int> chosen;
    const std::function<void(int)> pick = [&](int first) {
      if (count_of(chosen) == k) {
        const auto w = worth(model, chosen);
        if (best.empty() || clearly_more(w, most)) best = chosen, most = w;
        return;
      }
      for (int i = first; i <= count_of(gpus) - (k - count_of(chosen)); ++i) {
        chosen.push_back(gpus[ix(i)]);
        pick(i + 1);
        chosen.pop_back();
      }
    };
    pick(0);
    return best;
  }
  // Too many: the best pair, then always the GPU that helps most.
  best = best_gpus(model, gpus, 2);
  while (count_of(best) < k) {
    std::vector<int> next;
    for (const int g : gpus) {
      if (std::find(best.begin(), best.end(), g) != best.end()) continue;
      auto with = best;
      with.insert(std::upper_bound(with.begin(), with.end(), g), g);
      const auto w = worth(model, with);
      if (next.empty() || clearly_more(w, most)) next = with, most = w;
    }
    best = next;
  }
  return best;
}

std::vector<std::vector<Seat>> seats_by_host(const SeatPool& pool, const topo::Topology& topology) {
  std::vector<std::vector<Seat>> result(topology.hosts.size());
  for (const auto& seat : pool.seats)
    if (count_of(result[ix(seat.host)]) < pool.capacity[ix(seat.host)]) result[ix(seat.host)].push_back(seat);
  return result;
}

std::vector<std::vector<Seat>> best_seats_by_host(const SeatPool& pool, const topo::Topology& topology,
                                                  const RankGraph& graph, const std::vector<int>& hosts, int ranks) {
  (void)graph;
  auto result = seats_by_host(pool, topology);
  std::vector<std::vector<int>> usable(topology.hosts.size());
  std::vector<bool> distinct(topology.hosts.size(), true);
  for (const auto& seat : pool.seats) {
    if (seat.gpu < 0 || seat.slot != seat.gpu) distinct[ix(seat.host)] = false;
    else usable[ix(seat.host)].push_back(seat.gpu);
  }
  std::map<std::string, std::unique_ptr<HostModel>> models;
  int left = ranks;
  for (const int h : hosts) {
    const int wanted = std::min(left, pool.capacity[ix(h)]);
    left -= wanted;
    if (!distinct[ix(h)] || wanted >= count_of(usable[ix(h)]) || wanted <= 0) continue;
    auto& model = models[HostModel::signature(topology.hosts[ix(h)])];
    if (!model) model = std::make_unique<HostModel>(topology.hosts[ix(h)]);
    if (model->uniform() && wanted > 1 && model->local(usable[ix(h)]).nvlink) continue;  // all the same
    const auto best = best_gpus(*model, usable[ix(h)], wanted);
    std::vector<Seat> seats;
    for (const int g : best) seats.push_back({h, g, g});
    // The rest behind them, for orders that fill this host further.
    for (const int g : usable[ix(h)])
      if (count_of(seats) < pool.capacity[ix(h)] && std::find(best.begin(), best.end(), g) == best.end())
        seats.push_back({h, g, g});
    result[ix(h)] = std::move(seats);
  }
  return result;
}

}  // namespace topolaunch::mapping
