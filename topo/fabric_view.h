// SPDX-License-Identifier: Apache-2.0
//
// A fabric from the top down: what hangs below each switch. Fabric itself holds parents only.
//
//   const FabricView view(topology);
//   for (const std::size_t leaf : view.children(view.roots().front())) use(view.hosts(leaf));
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "topo/topology.h"

namespace topolaunch::topo {

/// Refers to the topology, which has to outlive it.
class FabricView {
 public:
  explicit FabricView(const Topology& topology);

  const std::vector<std::size_t>& roots() const { return roots_; }
  const std::vector<std::size_t>& children(std::size_t box) const { return children_[box]; }
  /// Hosts on this very switch, not those below its children.
  const std::vector<std::size_t>& hosts(std::size_t box) const { return hosts_[box]; }
  /// Hosts whose place no source knows.
  const std::vector<std::size_t>& unplaced() const { return unplaced_; }
  /// All hosts at or below the switch, in the order of the tree.
  std::vector<std::size_t> hosts_below(std::size_t box) const;

  /// What one host can send: its NICs that are up, else the fabric's rate of a host; unknown if
  /// neither is known.
  Bandwidth host_rate(std::size_t host) const;
  /// What hosts and switches right below can send into the switch together.
  Bandwidth rate_below(std::size_t box) const;
  /// "4:1": rate_below against the uplink; empty where either is unknown.
  std::string oversubscription(std::size_t box) const;

  /// "leaf", "spine", or "level3" where the level has no name.
  std::string level_name(int level) const;
  /// "4 leaves", "1 spine".
  std::string counted_level(std::size_t n, int level) const;

 private:
  const Topology& topology_;
  std::vector<std::size_t> roots_, unplaced_;
  std::vector<std::vector<std::size_t>> children_, hosts_;
};

}  // namespace topolaunch::topo
