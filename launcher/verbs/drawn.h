// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "topo/draw/ranks.h"
#include "topo/topology.h"

namespace topolaunch::launcher {

/// `format`: "svg" or "dot". Ranks may be none.
std::string drawn(const std::string& format, const topo::Topology& topology,
                  const topo::draw::Ranks& ranks);

}  // namespace topolaunch::launcher
