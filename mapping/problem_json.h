// SPDX-License-Identifier: Apache-2.0
//
// A placement problem as JSON ("topolaunch.problem/1"), for solvers outside of this program.
//
//   {"schema", "topology": topolaunch.topo/1, "graph": {"ranks", "origin", "groups": [{"group",
//    "collective", "bytes", "overlapped", "members"}], "edges": [[a, b, bytes]], "dimensions"},
//    "seats": [{"host", "gpu_index", "local_rank"}], "capacity": {HOST: ranks}, "given": [seat by
//    rank], "constraints": {"pins", "affinity", "anti_affinity"}, "objective": "time", "seed": 1}
#pragma once

#include "base/json.h"
#include "mapping/rank_graph.h"
#include "mapping/seats.h"
#include "mapping/solution.h"
#include "topo/topology.h"

namespace topolaunch::mapping {

Json problem_json(const topo::Topology& topology, const RankGraph& graph,
                  const Constraints& constraints, const SeatPool& pool);

}  // namespace topolaunch::mapping
