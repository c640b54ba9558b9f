// SPDX-License-Identifier: Apache-2.0
//
// IbGraph: an InfiniBand subnet as its subnet management sees it: switches, host channel adapters,
// and the links between their ports. ibnetdiscover.h reads it, ib_fabric.h makes a Fabric of it.
#pragma once

#include <string>
#include <vector>

#include "base/units.h"

namespace topolaunch::topo {

struct IbNode {
  enum class Kind { host_adapter, fabric_switch, router, unknown };
  Kind kind = Kind::unknown;
  std::string id;      ///< "S-0000000000200003"; unique
  std::string words;   ///< node description: "MF0;leaf-01:MQM9700/U1", "g01 mlx5_0"
  std::string system;  ///< system image GUID; the chips of one card or box share it; may be empty
  int line = 0;        ///< of its record; 0 = only named by a neighbour
  bool aggregation = false;  ///< a SHARP aggregation node: inside a switch, no host
};

/// One cable. Each end knows it, so a dump has it twice; here it is once.
struct IbLink {
  int a = 0, b = 0;  ///< nodes
  int port_a = 0, port_b = 0;
  int width = 0;      ///< lanes; 0 = not said
  std::string speed;  ///< "NDR"; empty = not said
  Bandwidth rate;     ///< of all lanes, one direction; unknown if not said
  int line = 0;
};

struct IbGraph {
  std::vector<IbNode> nodes;
  std::vector<IbLink> links;
  bool cut = false;       ///< the text ends within a record
  int strange = 0;        ///< lines that could not be read
  int first_strange = 0;  ///< the first of them
};

}  // namespace topolaunch::topo
