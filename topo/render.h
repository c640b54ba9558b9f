// SPDX-License-Identifier: Apache-2.0
//
// A topology in words for a terminal: at most 80 columns, no escape codes.
#pragma once

#include <string>

#include "topo/topology.h"

namespace topolaunch::topo {

std::string render_tree(const Topology& topology);

}  // namespace topolaunch::topo
