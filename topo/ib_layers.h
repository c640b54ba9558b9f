// SPDX-License-Identifier: Apache-2.0
//
// Which InfiniBand switches are leaves, which belong together, and how far the others are above
// them.
#pragma once

#include <string>
#include <vector>

#include "topo/ib_graph.h"

namespace topolaunch::topo {

/// A host of the subnet: one adapter, or several that carry its name.
struct IbHost {
  std::string name;
  int line = 0;
  std::vector<int> leaves;  ///< switch of each of its ports that has a cable; with repeats
  Bandwidth rate;           ///< of all its ports; unknown if one of them doesn't say
  bool named = true;        ///< false: its adapter carries no host's name
};

struct IbLayers {
  std::vector<IbHost> hosts;  ///< in natural order of their names
  std::vector<int> level;     ///< of each node: 0 = leaf, 1 ... above; -1 = no switch, or cut off
  std::vector<int> unit;      ///< of each node: which leaf unit it is part of; -1 = none
  std::vector<std::string> name;  ///< of each node that is a switch: short and unique
  int units = 0;
  int top = 0;  ///< highest level
};

IbLayers ib_layers(const IbGraph& graph);

}  // namespace topolaunch::topo
