// SPDX-License-Identifier: Apache-2.0
//
// Codec for "topolaunch.topo/1" (docs/schema/topo.schema.json); to_json and from_json round-trip.
#pragma once

#include "base/json.h"
#include "topo/topology.h"

namespace topolaunch::topo {

Json to_json(const Topology& topology);
Result<Topology> topology_from_json(const Json& json, const std::string& file);

}  // namespace topolaunch::topo
