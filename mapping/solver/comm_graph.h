// SPDX-License-Identifier: Apache-2.0
//
// CommGraph: a rank graph as weighted edges in compressed rows; O(n + m) memory. This is what the
// tree solvers work on: they know nothing of hosts, GPUs or collectives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mapping/rank_graph.h"

namespace topolaunch::mapping {

__extension__ typedef __int128 Wide;  ///< sums of bytes x distance that do not fit 64 bits

struct CommGraph {
  int n = 0;
  std::vector<std::size_t> first;     ///< n + 1 entries
  std::vector<int> to;                ///< every edge at both ends
  std::vector<std::int64_t> weight;

  std::size_t arcs() const { return to.size(); }
  Wide total() const;  ///< of all edges, each once
};

/// From undirected edges; equal pairs are added up, loops and zero weights dropped.
CommGraph make_comm_graph(int n, std::vector<Edge> edges);

/// Groups as rings (all-to-all as cliques, pipelines as paths) in the order of their members. An
/// all-to-all over all ranks, the same wherever they sit, is left out, and so is one of more than 2,048
/// members, whose edges would not fit memory.
CommGraph comm_graph_of(const RankGraph& graph);

/// Vertices merged by `part` (0 .. parts-1).
CommGraph quotient(const CommGraph& graph, const std::vector<int>& part, int parts);

}  // namespace topolaunch::mapping
