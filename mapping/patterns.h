// SPDX-License-Identifier: Apache-2.0
//
// --pattern: rank graphs of well-known communication patterns.
#pragma once

#include <string>

#include "mapping/rank_graph.h"

namespace topolaunch::mapping {

/// Payload of the patterns when the user gives none. 256 MiB: a gradient bucket's order of
/// magnitude, past the latency-bound sizes on every machine in reference tables.
inline constexpr Bytes kPatternBytes = Bytes::mib(256);
/// What one rank sends over one face of a stencil per step: 1 MiB.
inline constexpr Bytes kFaceBytes = Bytes::mib(1);

/// What is assumed when nothing is said: one allreduce over all ranks per step.
RankGraph world_allreduce(int ranks, Bytes bytes = kPatternBytes);

/// "allreduce", "allgather", "reduce_scatter", "alltoall", "ring", "stencil2d", "stencil3d"; a
/// stencil may say its shape ("stencil2d=8x4", the last number varies fastest), else it is the most
/// cubic one (as MPI_Dims_create). Open boundaries. wrong_usage for others.
Result<RankGraph> graph_from_pattern(const std::string& pattern, int ranks, Bytes bytes = Bytes(0));

}  // namespace topolaunch::mapping
