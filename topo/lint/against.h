// SPDX-License-Identifier: Apache-2.0
//
// A topology file held against the machine (or another file): what the first says of a device that
// the second knows, and which of them is missing where. The second counts as right.
#pragma once

#include <vector>

#include "topo/topology.h"

namespace topolaunch::topo {

/// Findings stand at the file and line of `said`. Hosts are paired by name; one host each are a
/// pair whatever their names.
std::vector<Warning> check_against(const Topology& said, const Topology& real);

}  // namespace topolaunch::topo
