// SPDX-License-Identifier: Apache-2.0
//
// RankGraph: who talks to whom, how much, per step of the job. Process groups stay objects; only an
// arbitrary matrix is stored as edges.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"

namespace topolaunch::mapping {

/// reduce_scatter_allgather: one behind the other, as a sharded optimizer does. It sends what an allreduce
/// sends, in rings alone: NCCL has a tree for the allreduce only.
enum class Collective { allreduce, allgather, reduce_scatter, reduce_scatter_allgather, alltoall, broadcast, path, ring };

/// Whether all data go around twice: reduced, then handed to all.
constexpr bool goes_around_twice(Collective collective) {
  return collective == Collective::allreduce || collective == Collective::reduce_scatter_allgather;
}

/// One process group with what it exchanges in a step.
struct Group {
  std::string dimension;     ///< "world", "tp", "cp", "ep", "pp", "dp", "edp"
  std::vector<int> members;  ///< ranks, in the order of the collective
  Collective collective = Collective::allreduce;
  Bytes bytes;               ///< payload of the collective per rank and step (nccl-tests' "size")
  bool overlapped = false;   ///< hidden behind compute: phases that are add up as a maximum
  Bytes wrap = Bytes(0);     ///< path: from the last member to the first, as an interleaved pipeline sends
};

/// Undirected; a < b; bytes of both directions together.
struct Edge {
  int a = 0, b = 0;
  std::int64_t bytes = 0;
};

/// One axis of the parallel layout: coordinate of rank r = (r / stride) % size.
struct Dimension {
  std::string name;
  int size = 1;
  int stride = 1;
};

struct RankGraph {
  int ranks = 0;
  std::string origin;          ///< "world allreduce", "--parallel tp=2,dp=4", "traffic.mat"
  std::vector<Group> groups;
  std::vector<Edge> edges;
  std::vector<Dimension> dimensions;  ///< empty unless --parallel
};

}  // namespace topolaunch::mapping
