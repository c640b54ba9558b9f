// SPDX-License-Identifier: Apache-2.0
//
// --link-rate: rates of the network that a file cannot carry (Slurm's have none).
//
//   host=200Mb/s,uplink=50Mb/s        each host into its leaf; each leaf, and what is above it, up
//   host=400Gb/s,leaf=1.6Tb/s,spine=3.2Tb/s     level by level
#pragma once

#include <string>

#include "topo/topology.h"

namespace topolaunch::topo {

/// What the user says wins over NICs' own rates and over files, with a note for each kind of link
/// whose rate was another. wrong_usage for an unknown level, a rate that can't be read, a level
/// given twice, or an uplink where no source names a switch.
Status apply_link_rates(const std::string& text, Topology& topology);

}  // namespace topolaunch::topo
