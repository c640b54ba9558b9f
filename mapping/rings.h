// SPDX-License-Identifier: Apache-2.0
//
// Rings and chains through GPUs that are linked one by one (cube mesh, bridged pairs): how many of a
// given speed fit on the links at once. A hop may lead through one GPU of the set between two that are
// not linked, as NCCL's do. Exact up to a fixed amount of work, then the best found.
#pragma once

#include <utility>
#include <vector>

namespace topolaunch::mapping {

/// Bandwidth between n GPUs, one direction, GB/s; capacity[i][j], 0 = no link.
using Capacities = std::vector<std::vector<double>>;

struct Packing {
  double bandwidth = 0;  ///< of all rings (or chains) together
  int channels = 0;
  double speed = 0;      ///< of one
  /// Directed links used, with the part of the whole that each carries (0..1).
  std::vector<std::pair<std::pair<int, int>, double>> load;
};

/// Directed rings through all n >= 2 nodes. `speeds` are tried from the fastest; a slower one is taken
/// where more of them carry more in sum.
Packing pack_rings(const Capacities& capacity, const std::vector<double>& speeds);
/// Directed chains through all nodes (trees inside a host are chains).
Packing pack_chains(const Capacities& capacity, const std::vector<double>& speeds);

}  // namespace topolaunch::mapping
