// SPDX-License-Identifier: Apache-2.0
//
// Ranks as JSON, an object each: as values, and as text, a line a rank, for jobs of a million.
// Hosts of a cluster are alike: what a seat's text has in common with the same seat of the host
// before is written once.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "mapping/rank_graph.h"
#include "mapping/solution.h"
#include "topo/topology.h"

namespace topolaunch::mapping {

/// "rank", "host", "gpu", ..., "coordinates": what docs/schema/map.schema.json has of a placement.
Json place_json(const topo::Topology& topology, const RankGraph& graph, const RankPlace& place);

/// Keeps references.
class PlacementRows {
 public:
  PlacementRows(const topo::Topology& topology, const RankGraph& graph)
      : topology_(topology), graph_(graph) {}

  /// place_json() as one line.
  void append(const RankPlace& place, std::string& out);

 private:
  struct Known {
    bool filled = false;
    topo::Gpu gpu;
    Affinity affinity;
    std::string gpu_text, affinity_text;  ///< members without braces
  };
  const Known& known(const RankPlace& place);

  const topo::Topology& topology_;
  const RankGraph& graph_;
  std::vector<Known> by_slot_;
  int host_ = -1;
  std::string host_text_;
};

}  // namespace topolaunch::mapping
