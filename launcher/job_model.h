// SPDX-License-Identifier: Apache-2.0
//
// The job as the solver takes it: how many ranks, who talks to whom, under which conditions.
#pragma once

#include <memory>
#include <string>

#include "base/outside.h"
#include "launcher/hosts/job_hosts.h"
#include "launcher/options.h"
#include "launcher/visible_gpus.h"
#include "mapping/rank_graph.h"
#include "mapping/solution.h"
#include "mapping/solver.h"
#include "topo/topology.h"

namespace topolaunch::launcher {

struct JobModel {
  mapping::RankGraph graph;
  mapping::Constraints constraints;
  std::shared_ptr<const mapping::Solver> solver;  ///< --solver-command; null = ours
  std::string ranks_why;  ///< "-n", "one per visible GPU", ...
  std::string note;       ///< GPUs that were left out, and why; empty = none
};

/// Where the job would run.
struct JobSituation {
  const topo::Topology& topology;
  /// CUDA_VISIBLE_DEVICES on hosts[0]; null for a topology that is only thought about.
  const VisibleGpus* visible = nullptr;
  int given_ranks = 0;  ///< join mode: the number is not ours to choose; 0 = it is
  const std::vector<JobHost>* hosts = nullptr;  ///< of --hosts, parallel to the topology's
};

/// Number of ranks, the first that answers: -n; --parallel or --traffic; the slots of --hosts;
/// SLURM_NTASKS of a one-host allocation; one per visible GPU or MIG instance of every host (of a
/// given topology without GPUs: all its seats; of --hosts without GPUs: one a host); 1.
/// wrong_usage for options that contradict each other; invalid_input for a bad traffic file.
Result<JobModel> model_job(const JobOptions& options, const JobSituation& situation,
                           const Outside& outside);

}  // namespace topolaunch::launcher
