// SPDX-License-Identifier: Apache-2.0
//
// Measurements between hosts -> switches: the hosts of a leaf reach each other better than they
// reach others (leaf_clusters.h says when that is certain).
#pragma once

#include <vector>

#include "topo/fact.h"

namespace topolaunch::topo {

/// Switch facts, and how far hosts are apart (host_distances.h), with origin "measured FILE", named leaf0, leaf1 ... in the order of their first
/// hosts. Empty, with a note that says why, where the leaves are not certain; empty without pairs.
/// Hosts and pairs that stand out are warnings either way.
std::vector<Fact> measured_switches(const std::vector<const Fact*>& facts,
                                    std::vector<Warning>& warnings);

}  // namespace topolaunch::topo
