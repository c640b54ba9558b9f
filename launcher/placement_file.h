// SPDX-License-Identifier: Apache-2.0
//
// Where ranks are, as a file says it: a saved plan (topolaunch.plan/1), what `map --json` printed
// (topolaunch.map/1), or a solver program's answer (topolaunch.placement/1).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/outside.h"
#include "launcher/workload.h"
#include "mapping/solution.h"
#include "topo/topology.h"

namespace topolaunch::launcher {

struct PlacedRank {
  std::string host;
  int gpu_index = -1;  ///< PCI order; -1 = no GPU
  int local_rank = 0;  ///< its seat on a host without GPUs
};

/// By rank. invalid_input for a rank that is missing, twice, or on no host.
Result<std::vector<PlacedRank>> placement_from_text(std::string_view text, const std::string& file);

/// A file, the folder of a run, a run's id or the beginning of one, or "last".
Result<std::vector<PlacedRank>> read_placement(const std::string& plan, const Outside& outside);

/// The workload that it was made for; empty where the file says none.
Result<Workload> read_workload(const std::string& plan, const Outside& outside);

/// By rank, as the job's seats are counted under `constraints`; host -1 where the topology has no
/// such host or GPU. invalid_input, with `file`, for two ranks on what takes one, unless GPUs are
/// to be shared (`oversubscribe`); infeasible where the job has no seats.
Result<std::vector<mapping::Seat>> seats_of(const std::vector<PlacedRank>& placed,
                                            const std::string& file, const topo::Topology& topology,
                                            const mapping::Constraints& constraints,
                                            bool oversubscribe);

}  // namespace topolaunch::launcher
