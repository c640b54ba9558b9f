// SPDX-License-Identifier: Apache-2.0
//
// Solves with the GPUs of this host in the order in which CUDA_VISIBLE_DEVICES gave them: that is
// the user's order, which the solver keeps unless another one gains. Rank 0 of
// CUDA_VISIBLE_DEVICES=3,6,5,4 is on GPU 3, next to GPU 3's CPUs.
#pragma once

#include "launcher/hosts/host_machine.h"
#include "launcher/job_model.h"
#include "launcher/visible_gpus.h"
#include "mapping/solution.h"
#include "topo/topology.h"

namespace topolaunch::launcher {

/// `visible` is about hosts[0]; null for a topology that is only thought about. GPU numbers of the
/// solution are those of `topology`, in PCI order.
Result<mapping::Solution> place_ranks(const topo::Topology& topology, const VisibleGpus* visible,
                                      const JobModel& model);

/// What a start has in common whatever it starts: the job on the machine, and where its ranks go.
struct PlacedJob {
  JobModel model;
  mapping::Solution solution;
};
Result<PlacedJob> place_job(const HostMachine& machine, const VisibleGpus& visible,
                            const JobOptions& job, const Outside& outside);

/// `host` with its GPUs in this order; links and P2P status go along.
topo::Host with_gpu_order(const topo::Host& host, const std::vector<int>& order);

}  // namespace topolaunch::launcher
