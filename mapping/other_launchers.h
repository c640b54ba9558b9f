// SPDX-License-Identifier: Apache-2.0
//
// A placement in the words of other launchers. Each of their files says less than a placement
// holds: where that loses something, it is refused (infeasible), never left out without a word.
#pragma once

#include <string>

#include "base/result.h"
#include "mapping/rank_graph.h"
#include "mapping/solution.h"
#include "topo/topology.h"

namespace topolaunch::mapping {

/// What is known of the GPUs beside the placement.
struct GpuOrder {
  bool named = false;   ///< the user has pinned ranks to GPUs: another one is not as good
  bool masked = false;  ///< CUDA_VISIBLE_DEVICES stands: ranks count among the GPUs that it shows
};

/// Whether a file that names hosts alone does: there the i-th rank of a host gets its i-th GPU. It
/// does where the placement has it so, where that order costs no more and no GPU is named, and
/// where a mask says the order.
Status local_order_does(const std::string& format, const topo::Topology& topology,
                        const RankGraph& graph, const Solution& solution, GpuOrder order);

/// One host a line, in rank order: Open MPI's seq mapper, SLURM_HOSTFILE.
std::string host_lines(const topo::Topology& topology, const Solution& solution);

/// MPICH_RANK_ORDER: ranks in the order in which seats are filled, as many on each host.
Result<std::string> mpich_order(const topo::Topology& topology, const Solution& solution);

/// DeepSpeed numbers ranks host after host in the order of the file, and on a host by GPU.
Result<std::string> deepspeed_hostfile(const topo::Topology& topology, const Solution& solution);

/// Open MPI rankfile, "rank 0=hostA slot=0-3": CPU numbers there are LOGICAL, hwloc's core order
/// (or PU order with --use-hwthread-cpus). See rankfile.cpp for how they are derived.
Result<std::string> rankfile(const topo::Topology& topology, const Solution& solution);

}  // namespace topolaunch::mapping
