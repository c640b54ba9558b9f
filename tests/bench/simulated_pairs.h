// SPDX-License-Identifier: Apache-2.0
//
// What topobench --pairs would find on a machine with one fault: hosts under leaves with an
// oversubscribed uplink each, every figure scattered, a few per cent as on a quiet machine.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "bench/measurement.h"

namespace topolaunch::bench {

struct SimulatedMachine {
  std::size_t hosts = 16, hosts_per_leaf = 4;
  int ranks_per_host = 1;
  double host_rate = 25e9, uplink_rate = 50e9, memory_rate = 10e9, latency = 5e-6;
  double scatter = 0.03;
  std::map<std::size_t, double> host_link_factor, host_factor, leaf_factor;  ///< by number
  std::map<std::size_t, double> rank_factor;
  std::map<std::pair<std::size_t, std::size_t>, double> path_factor;  ///< of ranks, directed
};

inline Measurement simulate(const SimulatedMachine& machine, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, machine.scatter);
  const auto scattered = [&](double v) { return v * std::exp(noise(random)); };
  const auto factor = [](const auto& factors, const auto& key) {
    const auto it = factors.find(key);
    return it == factors.end() ? 1.0 : it->second;
  };
  const auto per_host = static_cast<std::size_t>(machine.ranks_per_host);
  const std::size_t n = machine.hosts * per_host;
  Measurement m;
  m.ranks = static_cast<int>(n);
  m.hosts = static_cast<int>(machine.hosts);
  PairMatrix p;
  p.bytes = 1 << 20;
  const auto host = [&](std::size_t rank) { return rank / per_host; };
  const auto leaf = [&](std::size_t rank) { return host(rank) / machine.hosts_per_leaf; };
  for (std::size_t r = 0; r < n; ++r) {
    Device d;
    d.rank = static_cast<int>(r);
    d.host = "h" + std::to_string(host(r) + 1);
    d.device = "cpu";
    d.leaf = "s" + std::to_string(leaf(r) + 1);
    m.devices.push_back(d);
    p.ranks.push_back(static_cast<int>(r));
    p.local.push_back(scattered(machine.memory_rate * factor(machine.host_factor, host(r)) *
                                factor(machine.rank_factor, r)));
  }
  const auto rate = [&](std::size_t a, std::size_t b, double share_of_uplink) {
    double v = machine.memory_rate;
    if (host(a) != host(b)) {
      v = machine.host_rate * std::min(factor(machine.host_link_factor, host(a)),
                                       factor(machine.host_link_factor, host(b)));
    }
    if (leaf(a) != leaf(b)) {
      for (const std::size_t end : {a, b}) {
        v = std::min(
            v, machine.uplink_rate * factor(machine.leaf_factor, leaf(end)) * share_of_uplink);
      }
    }
    for (const std::size_t end : {a, b}) {
      v = std::min(v, v * factor(machine.host_factor, host(end)));
      v *= factor(machine.rank_factor, end);
    }
    return v * factor(machine.path_factor, std::pair(a, b));
  };
  p.one_way = p.both_ways = p.concurrent = p.latency = Matrix(n);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      if (a == b) continue;
      p.one_way.at(a, b) = scattered(rate(a, b, 1));
      p.both_ways.at(a, b) = scattered(rate(a, b, 1) * 0.9);
      if (a < b) {
        const double slower = host(a) == host(b) ? 0.1 : leaf(a) == leaf(b) ? 1 : 1.5;
        p.latency.at(a, b) = p.latency.at(b, a) = scattered(machine.latency * slower);
      }
    }
  }
  for (const auto& round : rounds_of_pairs(n)) {
    for (const bool back : {false, true}) {
      std::map<std::size_t, double> up, down;
      for (const auto& [x, y] : round) {
        const auto a = back ? y : x, b = back ? x : y;
        if (leaf(a) != leaf(b)) ++up[leaf(a)], ++down[leaf(b)];
      }
      for (const auto& [x, y] : round) {
        const auto a = back ? y : x, b = back ? x : y;
        const double sharers = leaf(a) == leaf(b) ? 1 : std::max(up[leaf(a)], down[leaf(b)]);
        p.concurrent.at(a, b) = scattered(rate(a, b, 1 / sharers));
      }
    }
  }
  m.pairs = std::move(p);
  return m;
}

}  // namespace topolaunch::bench
