// SPDX-License-Identifier: Apache-2.0
//
// Distances of J: inside a host from the pair's bandwidth, between hosts by level from what each seat's share
// of the uplink is, the nearest pair of the machine = 1; or those of the topology where it states them, by level
// or from host to host.
#pragma once

#include <vector>

#include "mapping/links.h"

namespace topolaunch::mapping {

class Distances {
 public:
  /// Keeps a reference to `links`.
  Distances(const topo::Topology& topology, const Links& links);

  double between(const Seat& a, const Seat& b) const;
  double between_hosts(int a, int b) const;
  /// Of two hosts that part at a level, where no matrix says it of each pair.
  double at_level(int level) const { return by_level_[static_cast<std::size_t>(level)]; }
  bool of_each_pair() const { return !matrix_->empty(); }
  /// Mean of `count` ranks on a host, on these GPUs.
  double mean_inside(int host, const std::vector<int>& gpus, int count) const;

 private:
  const Links& links_;
  const std::vector<double>* matrix_;  ///< hosts x hosts; empty = by level
  std::size_t hosts_;
  std::vector<double> by_level_;
  double inside_ = 1;     ///< hosts without GPUs
  double reference_ = 1;  ///< GB/s that has distance 1
  bool stated_ = false;
};

}  // namespace topolaunch::mapping
