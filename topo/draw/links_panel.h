// SPDX-License-Identifier: Apache-2.0
//
// How the GPUs of one host are joined besides PCIe: through an NVSwitch, as a bar with a line a
// GPU; directly, as a ring of GPUs with a chord a pair. Line style says how many links a pair has,
// and a key says what each style is.
#pragma once

#include "topo/draw/drawing.h"
#include "topo/draw/ranks.h"
#include "topo/topology.h"

namespace topolaunch::topo::draw {

/// Nothing for a host with less than two GPUs. `ranks` may be null.
Drawing links_panel(const Host& host, const RankIndex* ranks, double width);

}  // namespace topolaunch::topo::draw
