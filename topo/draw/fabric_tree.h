// SPDX-License-Identifier: Apache-2.0
//
// A cluster made small enough to draw: equal switches and equal hosts become one entry with a
// count, as far as needed. 16 hosts on 4 leaves stay 16 and 4; 1,024 hosts on 32 equal leaves
// become one leaf "32 alike" with one host "32 alike".
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "topo/topology.h"

namespace topolaunch::topo::draw {

/// Hosts that are drawn as one tile.
struct HostEntry {
  std::vector<std::size_t> hosts;
  bool alike = true;     ///< false: a rest of several kinds
  bool example = false;  ///< below one of several switches that are alike: others stand for it too
};

/// Switches that are drawn as one box, with what hangs below each (`alike`) or below all of them.
struct SwitchEntry {
  std::vector<std::size_t> switches;
  bool alike = true;
  bool example = false;
  std::vector<SwitchEntry> below;
  std::vector<HostEntry> hosts;
  std::size_t all_hosts = 0;  ///< at or below all of `switches`
};

struct FabricTree {
  std::vector<SwitchEntry> roots;
  std::vector<HostEntry> unplaced;  ///< hosts whose place is not known; all, without a fabric
};

struct DrawingLimits {
  std::size_t columns = 8;  ///< bottom switches side by side
  std::size_t hosts = 64;   ///< tiles of single hosts, all together
  std::size_t hosts_of_switch = 16;
  std::size_t kinds = 4;  ///< entries of one switch once things are collapsed
};

FabricTree fabric_tree(const Topology& topology, const DrawingLimits& limits = {});

/// "8 x H100 80GB HBM3", "64 CPUs": what a host is for, in few words.
std::string host_kind(const Host& host);
/// "8 x 400 Gb/s"; empty where no NIC is known.
std::string network_kind(const Host& host);

}  // namespace topolaunch::topo::draw
