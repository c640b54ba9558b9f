// SPDX-License-Identifier: Apache-2.0
//
// What `ibnetdiscover` prints, as records or with -p as a line a port, and net files of ibsim:
//
//   Switch 65 "S-fc6a1c0300c10000"  # "MF0;leaf-01:MQM9700/U1" enhanced port 0 lid 12 lmc 0
//   [1]  "H-a088c20300200000"[1](a088c20300200000)  # "g01 mlx5_0" lid 7 4xNDR
//
// Hosts, leaves and the levels above them come from the graph (ib_fabric.h). Not read: -l, a list
// of nodes without links.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topo/fact.h"
#include "topo/ib_graph.h"

namespace topolaunch::topo {

bool looks_like_ibnetdiscover(std::string_view text);

/// The subnet as written; what can't be read is counted, not lost.
IbGraph ib_graph(std::string_view text);

/// Facts with origin "ibnetdiscover FILE:LINE"; invalid_input if no switch with a link is in it.
Result<std::vector<Fact>> facts_from_ibnetdiscover(std::string_view text, const std::string& file);

}  // namespace topolaunch::topo
