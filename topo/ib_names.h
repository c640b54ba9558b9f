// SPDX-License-Identifier: Apache-2.0
//
// What an InfiniBand node description says. Hosts write theirs as "HOST ADAPTER"; where nobody has
// written one it is the product's name, or that of a host that has no name yet.
//
//   "g06 mlx5_0"   host g06       "MT4129 ConnectX7   Mellanox Technologies", "localhost HCA-1"
//   none
#pragma once

#include <string>
#include <string_view>

namespace topolaunch::topo {

/// Host that the description of an adapter names; empty if it names none.
std::string ib_host_name(std::string_view words);

/// Short name of a switch: "leaf-01" of "MF0;leaf-01:MQM9700/U1"; empty if it is the product's.
std::string ib_switch_name(std::string_view words);

}  // namespace topolaunch::topo
