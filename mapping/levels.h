// SPDX-License-Identifier: Apache-2.0
//
// Levels: the nesting of hosts in the fabric as numbers. Level 0 is the host itself, then NVLink
// domains that span hosts, then the fabric's switches from the leaf up. Bytes are counted at the outermost
// level whose boundary they cross: "host" between two hosts of one leaf, "leaf" between two leaves.
#pragma once

#include <string>
#include <vector>

#include "mapping/solution.h"
#include "topo/topology.h"

namespace topolaunch::mapping {

struct Level {
  std::string name;               ///< "host", "domain", "leaf", "spine", ...
  std::vector<int> block;         ///< by host: which block of this level it is in
  int blocks = 0;
  int distance_index = 1;         ///< which of Fabric::distances holds for crossing this level
  std::vector<Bandwidth> uplink;  ///< by block: out of the block, one direction; unknown if not known
};

struct Levels {
  std::vector<Level> levels;  ///< innermost first; levels[0] is "host"
  std::vector<bool> placed;   ///< by host: whether a source says where it hangs; empty = all are

  /// Index of the outermost level whose boundary lies between two hosts; -1 for the same host.
  int crossing(int host_a, int host_b) const;
  /// Level by name; nullptr if there is none.
  const Level* find(const std::string& name) const;
  /// "host leaf spine"
  std::string names() const;
};

/// A host of unknown place is a block of its own on every level below the last, and pays there like
/// the worst placed of the others.
Levels fabric_levels(const topo::Topology& topology);

/// Rate of all NICs of a host that are up, else the fabric's host rate; unknown if neither is known.
Bandwidth host_rate(const topo::Topology& topology, int host);

}  // namespace topolaunch::mapping
