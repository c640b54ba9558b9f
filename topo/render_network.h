// SPDX-License-Identifier: Apache-2.0
//
// The network in the `topo` verb's tree: how many of each level, then the switches with what they
// send up, by how much the hosts below could overrun that, and the hosts.
#pragma once

#include <string>
#include <vector>

#include "topo/topology.h"

namespace topolaunch::topo {

std::string network_text(const Topology& topology);

/// "host[0-15]", cut to `width` characters.
std::string cut_host_list(const std::vector<std::string>& names, std::size_t width);

}  // namespace topolaunch::topo
