// SPDX-License-Identifier: Apache-2.0
//
// Rank graphs from what was recorded of a run, a file a rank:
//   - Open MPI's monitoring (--mca pml_monitoring_enable): NAME.RANK.prof, lines E and I;
//   - PyTorch execution traces: record_param_comms with the process groups of the trace;
//   - Kineto traces (torch.profiler): NCCL kernels, distributedInfo.pg_config;
//   - Chakra's JSON forms: its jsonizer's objects one behind the other, or a workload_graph; they
//   name
//     process groups without saying who is in them: such collectives are left out, and it is said.
// Bytes are those of the whole recording. What is known of one rank only is taken to hold for the
// groups that lie alike (same description, same stride), and it is said.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "mapping/rank_graph.h"

namespace topolaunch::mapping {

enum class TraceKind { none, monitoring, pytorch, kineto, chakra };
/// From the first few kilobytes.
TraceKind trace_kind(const std::string& text);

struct TraceFile {
  std::string name, text;
};

/// invalid_input with file and line (or the node) for what is malformed or contradicts itself.
Result<RankGraph> graph_from_traces(TraceKind kind, const std::vector<TraceFile>& files);

/// Open MPI's monitoring.
Result<RankGraph> graph_from_monitoring(const std::vector<TraceFile>& files);

}  // namespace topolaunch::mapping
