// SPDX-License-Identifier: Apache-2.0
//
// Fabric -> Slurm's topology.conf in tree form, for topology/tree; slurm_conf.h reads it back.
#pragma once

#include <string>

#include "topo/topology.h"

namespace topolaunch::topo {

/// Switches from the leaves upward. Names are cut to letters that Slurm takes in its lists, and
/// made unique again; hosts that hang on an upper switch get a leaf of their own below it. Rates
/// are not written (Slurm's LinkSpeed has no unit), and hosts whose place is unknown stand in a
/// comment.
std::string slurm_tree(const Topology& topology);

}  // namespace topolaunch::topo
