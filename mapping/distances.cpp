// SPDX-License-Identifier: Apache-2.0
#include "mapping/distances.h"

#include <algorithm>

#include "mapping/constants.h"
#include "mapping/index.h"

namespace topolaunch::mapping {

Distances::Distances(const topo::Topology& topology, const Links& links)
    : links_(links), matrix_(&topology.fabric.host_distances), hosts_(topology.hosts.size()) {
  const auto& levels = links.levels().levels;
  const auto& stated = topology.fabric.distances;
  if (!stated.empty()) {
    stated_ = true;
    inside_ = stated.front();
    for (const auto& level : levels)
      by_level_.push_back(stated[ix(std::min(level.distance_index, count_of(stated) - 1))]);
    return;
  }
  // A host is at distance 0 from itself.
  if (of_each_pair()) {
    stated_ = true;
    inside_ = 0;
    by_level_.assign(levels.size(), 0);
    return;
  }
  // The best pair of the machine has distance 1.
  double best = 0;
  for (int h = 0; h < count_of(topology.hosts); ++h) {
    const auto& model = links.host(h);
    for (int b = 1; b < model.gpus(); ++b) best = std::max(best, model.pair(0, b));
  }
  reference_ = best > 0 ? best : constants::kHostCopyGbps;
  double farthest = 1;
  for (const auto& level : levels) {
    // Hosts that differ inside one NVLink domain only: over the NVSwitches.
    if (&level == levels.data() && links.islands_of_hosts()) {
      double port = 0;
      for (int h = 0; h < count_of(topology.hosts); ++h)
        if (links.island(h) != h) port = std::max(port, links.host(h).port(0));
      farthest = std::max(farthest, reference_ / port);
      by_level_.push_back(farthest);
      continue;
    }
    double share = 0;
    int known = 0;
    std::vector<int> seats_in(ix(level.blocks), 0);
    for (int h = 0; h < count_of(topology.hosts); ++h)
      seats_in[ix(level.block[ix(h)])] += std::max(1, links.host(h).gpus());
    for (int b = 0; b < level.blocks; ++b) {
      if (!level.uplink[ix(b)].known()) continue;
      share += level.uplink[ix(b)].gigabytes_per_second() / std::max(1, seats_in[ix(b)]);
      ++known;
    }
    if (known > 0) farthest = std::max(farthest, reference_ / (share / known));
    by_level_.push_back(farthest);
  }
  // No rate known anywhere: farther is still farther.
  if (farthest <= 1)
    for (int l = 0; l < count_of(levels); ++l) by_level_[ix(l)] = 2 + l;
}

double Distances::between_hosts(int a, int b) const {
  if (of_each_pair()) return (*matrix_)[ix(a) * hosts_ + ix(b)];
  return at_level(links_.levels().crossing(a, b));
}

double Distances::between(const Seat& a, const Seat& b) const {
  if (a.host != b.host) return between_hosts(a.host, b.host);
  if (a == b) return 0;
  if (stated_ || a.gpu < 0 || b.gpu < 0 || a.gpu == b.gpu) return inside_;
  return std::max(1e-9, reference_ / links_.host(a.host).pair(a.gpu, b.gpu));
}

double Distances::mean_inside(int host, const std::vector<int>& gpus, int count) const {
  if (count < 2) return 0;
  if (stated_ || gpus.empty()) return inside_;
  return links_.host(host).mean_inverse(gpus) * reference_;
}

}  // namespace topolaunch::mapping
