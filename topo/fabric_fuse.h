// SPDX-License-Identifier: Apache-2.0
//
// fuse(): the forests of several sources -> one. The first source's is used. The others give what
// it lacks (rates of switches with the same hosts below them, places of hosts that it doesn't
// know), and are heard, with both origins, where they put hosts together that it keeps apart.
#pragma once

#include <string>
#include <vector>

#include "topo/topology.h"

namespace topolaunch::topo {

struct SourceFabric {
  Fabric fabric;                ///< leaf_of_host as long as the hosts
  std::vector<Origin> origins;  ///< of each switch
};

/// `sources`: the most trusted first; may be empty.
Fabric fuse(std::vector<SourceFabric> sources, const std::vector<std::string>& hosts,
            std::vector<Warning>& warnings);

}  // namespace topolaunch::topo
