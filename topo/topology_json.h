// SPDX-License-Identifier: Apache-2.0
//
// Codec for "topolaunch.topo/1" (docs/schema/topo.schema.json); to_json and from_json round-trip.
// The names of the contract are always there, null where unknown; further members are left out
// where they hold nothing.
//
//   {"schema": "topolaunch.topo/1", "hosts": [{"name": "n1", "gpus": [{"index": 0, "pci": ...}]}], ...}
#pragma once

#include "base/json.h"
#include "topo/topology.h"

namespace topolaunch::topo {

Json to_json(const Topology& topology);
/// invalid_input that names the member ("hosts[2].gpus[0].pci") for anything missing, of the wrong
/// type or impossible; members that it doesn't know are passed over.
Result<Topology> topology_from_json(const Json& json, const std::string& file);

}  // namespace topolaunch::topo
