// SPDX-License-Identifier: Apache-2.0
//
// Slurm's topology.conf, and what `scontrol show topology` prints of it: a statement a line.
//
//   SwitchName=leaf1 Nodes=g[001-004]           BlockName=rack1 Nodes=nvl[001-018]
//   SwitchName=core  Switches=leaf[1-2]         BlockSizes=18,36
//   RingName=r0 Nodes=t[01-08]                  TorusName=pod1 Dims=4x2x2 Nodes=q[01-16]
//
// Facts are switches alone; hosts get their look from other sources. LinkSpeed is passed over, as
// Slurm does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topo/fact.h"

namespace topolaunch::topo {

/// True if the first line that is no comment begins as one of topology.conf does.
bool looks_like_topology_conf(std::string_view text);

/// Facts with origin "slurm FILE:LINE". A line that Slurm would stop at or misread becomes a warning
/// and the rest is read; invalid_input if no line describes a switch.
Result<std::vector<Fact>> facts_from_topology_conf(std::string_view text, const std::string& file);

}  // namespace topolaunch::topo
