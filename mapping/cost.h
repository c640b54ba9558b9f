// SPDX-License-Identifier: Apache-2.0
//
// Cost of a placement, in seconds of communication per step of the job.
//
// T: the groups of one dimension run at the same time, dimensions one after the other (overlapped
// ones count as their maximum). A phase takes
//   latency(algorithm) + max( the slowest group alone, the busiest link: bytes / bandwidth )
// with the algorithm that NCCL would pick for each group (ring, tree, NVLS, NVLS tree; its model and
// constants, mapping/constants.h), or a ring through host memory on hosts without GPUs. All groups of
// the phase add up on the links they share: NVLink ports and single NVLinks, PCIe links and switches,
// CPU-CPU links, NICs, leaf uplinks, spines.
// J: sum of bytes x distance; distances are 1 / bandwidth share, the nearest pair of the machine = 1,
// or those of the topology where it states them. NCCL orders the members of a group inside a host by
// itself, so there a group costs the mean distance of its members; between hosts rank order counts.
//
// What it is not: a gate. It is NCCL's own model where GPUs are (14 % low on a healthy 8 x B200).
#pragma once

#include <memory>
#include <vector>

#include "mapping/rank_graph.h"
#include "mapping/solution.h"
#include "topo/topology.h"

namespace topolaunch::mapping {

/// Evaluates placements on one topology; builds its tables once. Keeps references: topology and
/// graph must outlive it. Not for several threads at once (it reuses its scratch memory).
class CostModel {
 public:
  CostModel(const topo::Topology& topology, const RankGraph& graph);
  ~CostModel();
  CostModel(CostModel&&) noexcept;
  CostModel& operator=(CostModel&&) noexcept;

  /// `seats` by rank.
  Estimate estimate(const std::vector<Seat>& seats) const;
  /// T and J alone, cheaper than estimate(), and remembered.
  struct Score {
    double seconds = 0;
    double hop_bytes = 0;
    double max_link_bytes = 0;
    double hidden = 0;  ///< seconds of overlapped phases behind the longest of them; not in `seconds`
  };
  Score score(const std::vector<Seat>& seats) const;
  /// Distance of two seats as J counts it.
  double distance(const Seat& a, const Seat& b) const;
  /// Whether T is meaningful: false where no source gives any bandwidth (a "tree:" spec).
  bool timed() const;

 private:
  struct Tables;
  std::unique_ptr<Tables> tables_;
};

Estimate evaluate(const topo::Topology& topology, const RankGraph& graph,
                  const std::vector<Seat>& seats);

}  // namespace topolaunch::mapping
