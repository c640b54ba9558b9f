// SPDX-License-Identifier: Apache-2.0
//
// NVIDIA topograph's graph: {"instances": [{"id", "network_layers": ["leaf", "spine", "core"],
// "labels": {...}}]}. Layers go from the leaf to the top, the other way than EC2's.
#pragma once

#include "topo/json_format.h"

namespace topolaunch::topo {

bool is_topograph(const Json& json);

/// Facts with origin "topograph FILE:LINE".
Result<std::vector<Fact>> facts_from_topograph(const Json& json, const GivenText& given);

}  // namespace topolaunch::topo
