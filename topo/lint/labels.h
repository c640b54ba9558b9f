// SPDX-License-Identifier: Apache-2.0
//
// Labels that GPU feature discovery puts on Kubernetes nodes, held against the host.
#pragma once

#include <string>
#include <vector>

#include "topo/topology.h"

namespace topolaunch::topo {

/// `kubectl get node(s) -o json`.
bool looks_like_labels(const std::string& text);

/// A node is held against the host of its name; one node against one host whatever their names.
/// Nothing is found without `real`.
Result<std::vector<Warning>> check_labels(const std::string& text, const std::string& file,
                                          const Topology* real);

}  // namespace topolaunch::topo
