// SPDX-License-Identifier: Apache-2.0
//
// What `topolaunch map` prints. Functions return text or JSON; nobody prints here.
#pragma once

#include <string>

#include "base/json.h"
#include "mapping/other_launchers.h"
#include "mapping/rank_graph.h"
#include "mapping/solution.h"
#include "topo/topology.h"

namespace topolaunch::mapping {

/// "topolaunch.map/1" (docs/schema/map.schema.json).
Json map_json(const topo::Topology& topology, const RankGraph& graph, const Solution& solution);
/// The same as text, a line a rank, with the members of the object `more` behind it; made rank by rank, so
/// that a large job takes little more memory than the text.
std::string map_json_text(const topo::Topology& topology, const RankGraph& graph, const Solution& solution,
                          const Json& more);
/// One line a rank, at most 80 columns where names allow.
std::string map_table(const topo::Topology& topology, const Solution& solution);
/// Given against solved: T, J, bytes and largest link per level, what changed, why. 80 columns.
std::string map_explanation(const topo::Topology& topology, const RankGraph& graph,
                            const Solution& solution);

/// Two estimates side by side: T, its phases, J, bytes by level, the busiest link.
std::string estimate_columns(const std::string& left, const Estimate& a, const std::string& right, const Estimate& b);

/// One of "table", "json", "rankfile" (Open MPI 4.1 and 5), "hostfile" (one host a rank, in rank
/// order: Open MPI's seq mapper), "slurm" (SLURM_HOSTFILE, one host a line), "mpich"
/// (MPICH_RANK_ORDER), "deepspeed" (its hostfile, and the --include it needs), "env" (shell assignments, one line a rank). wrong_usage for another;
/// infeasible where the format can't say the placement (other_launchers.h).
Result<std::string> map_text(const std::string& format, const topo::Topology& topology,
                             const RankGraph& graph, const Solution& solution, GpuOrder order = {});

}  // namespace topolaunch::mapping
