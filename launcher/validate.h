// SPDX-License-Identifier: Apache-2.0
//
// (Plan, observations, Measurement?) -> Verdict. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/measurement.h"
#include "launcher/ending.h"
#include "launcher/plan.h"
#include "launcher/verdict.h"
#include "mapping/solution.h"
#include "topo/topology.h"

namespace topolaunch::launcher {

/// Ranks, hosts, CPUs, memory and GPUs that the shims saw inside their ranks, against the plan.
/// `ends`: how the ranks ended, where that is known. One that was ended before it could report,
/// because another had failed, says nothing about the placement.
std::vector<Check> check_placement(const Plan& plan,
                                   const std::vector<RankObservation>& observations,
                                   const std::vector<RankEnding>& ends = {});

/// Nothing that discovery has warned of: a GPU that fell off the bus, links that are down, sources
/// that contradict each other. Notes are no fault.
Check check_topology(const topo::Topology& topology);

/// Links that are up, GPU by GPU: as many as on the host's other GPUs of that model, and as that
/// model is built with, where that is known. A missing link costs bandwidth and nobody says so.
std::vector<Check> check_links(const topo::Topology& topology);

/// What the same placement measured earlier on this machine.
struct Reference {
  double busbw = 0;      ///< bytes/s at `size`
  std::int64_t size = 0; ///< bytes
  std::string source;    ///< "run 0190..., 2026-11-30"
};

/// Right results, right number of ranks on devices of their own, and the bandwidth. What NCCL's own
/// model estimates is shown beside and never decides (it is up to 2x off on healthy machines); an
/// earlier measurement of the same placement does: more than allowed_deviation() from it, either way,
/// is a failure. A CPU figure is never held against a GPU estimate.
/// `estimate`: the model's for an allreduce of the measurement's largest size; may be nothing.
std::vector<Check> check_measurement(const Plan& plan, const bench::Measurement& measurement,
                                     const std::optional<mapping::Estimate>& estimate,
                                     const std::optional<Reference>& reference);

/// The largest size measured; nullptr for an empty measurement.
const bench::SizeResult* largest(const bench::Measurement& measurement);
/// Whether it ran on GPUs.
bool measured_on_gpus(const bench::Measurement& measurement);

}  // namespace topolaunch::launcher
