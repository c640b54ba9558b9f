// SPDX-License-Identifier: Apache-2.0
//
// NVLink domains that are said of a host (gpu.clique, UltraServer, capacity unit) join its GPUs;
// what the driver says of a GPU counts more.
#pragma once

#include <vector>

#include "topo/fact.h"

namespace topolaunch::topo {

void join_nvlink_domain(const std::vector<const Fact*>& facts, Host& host,
                        std::vector<Warning>& warnings);

}  // namespace topolaunch::topo
