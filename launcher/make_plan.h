// SPDX-License-Identifier: Apache-2.0
//
// Solution -> Plan: each rank's place, CPUs and variables, written out in full. Pure.
#pragma once

#include <map>
#include <string>

#include "base/environment.h"
#include "launcher/engine_choice.h"
#include "launcher/options.h"
#include "launcher/plan.h"
#include "launcher/visible_gpus.h"
#include "mapping/rank_graph.h"
#include "mapping/solution.h"
#include "topo/topology.h"

namespace topolaunch::launcher {

struct PlanRequest {
  const topo::Topology& topology;
  const mapping::RankGraph& graph;
  const mapping::Solution& solution;
  const VisibleGpus& visible;  ///< on hosts[0]
  const Environment& environment;
  const RunOptions& options;
  EngineChoice engine;
  std::string id, executable, working_directory;
  std::string master_address;
  int master_port = 0;
  std::map<std::string, std::string> host_ids;  ///< of all that were asked; see Plan
};

Plan make_plan(const PlanRequest& request);

/// Threads for a rank: cores of its share, divided among the ranks that share it, at least 1.
/// `sharing` counts the ranks of the host with these CPUs.
int threads_for(const topo::Host& host, const CpuSet& cpus, int sharing);

}  // namespace topolaunch::launcher
