// SPDX-License-Identifier: Apache-2.0
//
// Two kinds of path: pairs of hosts under one leaf, and pairs across. Held against each other, the
// hosts of a small leaf would look slow. Which hosts share one, the figures themselves show where
// they are certain (topo/leaf_clusters.h).
#pragma once

#include <string>
#include <vector>

#include "bench/culprit.h"
#include "launcher/verdict.h"

namespace topolaunch::launcher {

/// Names the leaves of the figures' hosts, of each test for itself, where they are sure; and says
/// so, one check a test. Hosts that are slow with everybody don't hide them. Bandwidth that is lower
/// across a few leaves may be what the fabric gives, or a fault of an uplink: could-not-test.
std::vector<Check> name_leaves(std::vector<bench::PairFigure>& figures, const std::string& source);

/// The same for topobench's pairs, whose devices the launcher told no leaf.
void name_leaves(bench::Measurement& measurement);

}  // namespace topolaunch::launcher
