// SPDX-License-Identifier: Apache-2.0
//
// Slurm's topology.conf, tree form:
//
//   SwitchName=leaf1 Nodes=g[001-004]
//   SwitchName=core  Switches=leaf[1-2]
//
// Facts are switches alone; hosts get their look from other sources. LinkSpeed is passed over, as
// Slurm does. Not read here: block and ring forms, topology.yaml.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topo/fact.h"

namespace topolaunch::topo {

/// True if some line of `text` begins as one of topology.conf does (SwitchName=, BlockName=, ...).
bool looks_like_topology_conf(std::string_view text);

/// Facts with origin "slurm FILE:LINE". A line that Slurm would stop at or misread becomes a warning
/// and the rest is read; invalid_input if no line describes a switch.
Result<std::vector<Fact>> facts_from_topology_conf(std::string_view text, const std::string& file);

}  // namespace topolaunch::topo
