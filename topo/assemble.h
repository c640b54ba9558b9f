// SPDX-License-Identifier: Apache-2.0
//
// assemble(): facts -> Topology. Pure. GPUs and NICs of different sources are one when UUID or full
// PCI address agree. Where sources differ, trust.h decides and a warning names both origins.
//
// Nothing in the facts makes it fail: what contradicts itself is left out and said as a warning.
// Facts without a host name describe one machine: it is called "host0", unless there are hosts that
// are named (by switches, measurements, node lists) and not described: then each of those looks like
// it.
#pragma once

#include "topo/survey.h"

namespace topolaunch::topo {

Result<Topology> assemble(Survey survey);

/// A Topology taken apart again, so that a topology file can be merged with other sources.
std::vector<Fact> facts_of(const Topology& topology, const Origin& origin);

}  // namespace topolaunch::topo
