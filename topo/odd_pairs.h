// SPDX-License-Identifier: Apache-2.0
//
// Hosts and pairs whose measurement stands out from the others of their kind: a host slow with
// nearly everybody, a pair slow though both its hosts are well, a pair slow one way only.
#pragma once

#include <vector>

#include "topo/leaf_clusters.h"
#include "topo/pair_table.h"

namespace topolaunch::topo {

/// With sure leaves a pair is held against its kind (within, between), else against all pairs;
/// nothing is said where too many stand out for any of them to be odd.
std::vector<Warning> odd_pairs(const PairTable& table, const LeafClusters& leaves, PairFact::Of of,
                               const Origin& origin);

}  // namespace topolaunch::topo
