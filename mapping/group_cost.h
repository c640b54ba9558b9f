// SPDX-License-Identifier: Apache-2.0
//
// GroupCost: what the collective of one process group costs and puts on the links, with the
// algorithm that NCCL (on GPUs) or MPI (through host memory) would use.
#pragma once

#include <cstddef>
#include <vector>

#include "mapping/distances.h"
#include "mapping/links.h"
#include "mapping/nccl_model.h"
#include "mapping/rank_graph.h"
#include "mapping/solution.h"

namespace topolaunch::mapping {

/// What the groups of a phase come to, besides what they put on the links.
struct GroupTotals {
  double latency = 0;         ///< seconds of the slowest group
  double alone = 0;           ///< seconds of bandwidth that the slowest group takes by itself
  double hop_bytes = 0;       ///< sum of all
  bool host_network = false;  ///< from host memory to another host
};

/// Seconds that one message takes besides its bytes.
double hop_latency(const Links& links, const Seat& a, const Seat& b);

/// Keeps references. Not for several threads at once (it reuses its scratch memory).
class GroupCost {
 public:
  GroupCost(const Links& links, const Distances& distances, std::size_t hosts)
      : links_(links), distances_(distances), part_of_host_(hosts, -1) {}

  /// Adds one group, its ranks on `seats` (by rank), to the phase in `links` and to `out`.
  void add(const Group& group, const std::vector<Seat>& seats, GroupTotals& out) const;

 private:
  /// Members of a group on one host.
  struct Part {
    int host = 0;
    std::vector<int> gpus;  ///< sorted
    int count = 0;
  };
  /// Consecutive parts whose GPUs NVLink joins, over hosts too: what NCCL calls a node.
  struct Island {
    int first = 0, parts = 0;
    int count = 0;  ///< members
  };
  void split(const Group& group, const std::vector<Seat>& seats) const;
  void join() const;
  const LocalBandwidth& local(const Island& island) const;
  const Prediction& predicted(const Communicator& communicator, const Group& group) const;
  Communicator communicator_of(const Group& group) const;
  void add_nccl(const Group& group, GroupTotals& out) const;
  void add_island(const Island& island, Algorithm algorithm, double bytes, double edge, GroupTotals& out) const;
  void add_nccl_network(Algorithm algorithm, double bytes, double edge, GroupTotals& out) const;
  void add_between(const Island& from, const Island& to, double bytes) const;
  void add_alltoall(const Group& group, GroupTotals& out) const;
  void add_alltoall_levels(double ranks, double pair_bytes, GroupTotals& out) const;
  void add_chain(const Group& group, const std::vector<Seat>& seats, double forward, double back,
                 bool closed, double steps, GroupTotals& out) const;

  const Links& links_;
  const Distances& distances_;
  /// Hosts in order of first appearance; the first part_count_ are this group's.
  mutable std::vector<Part> parts_;
  mutable int part_count_ = 0;
  mutable std::vector<int> part_of_host_;
  mutable std::vector<Island> islands_;  ///< the first island_count_ are this group's
  mutable int island_count_ = 0;
  mutable LocalBandwidth joined_;
  struct Asked {
    Communicator communicator;
    Collective collective = Collective::allreduce;
    Bytes bytes;
    friend bool operator==(const Asked&, const Asked&) = default;
  };
  mutable Asked last_asked_;
  mutable Prediction last_prediction_;
};

}  // namespace topolaunch::mapping
