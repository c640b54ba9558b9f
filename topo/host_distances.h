// SPDX-License-Identifier: Apache-2.0
//
// A matrix of distances between hosts: as the user gave it, or of what was measured where no leaves
// could be made of that.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topo/fact.h"

namespace topolaunch::topo {

/// Distances that were given, as they are, the mean of both directions. Else, without `leaves`,
/// latencies, or bandwidths upside down, the nearest pair 1. A pair that nobody measured is as far
/// as the farthest. Nothing where there are no such pairs.
std::optional<FabricFact> host_distances(const std::vector<PairFact>& pairs, bool leaves);

/// The fact's matrix for `hosts`; those that it does not name are as far as its farthest. Empty for
/// none.
std::vector<double> in_order_of(const std::vector<std::string>& hosts, const FabricFact& fact);

}  // namespace topolaunch::topo
