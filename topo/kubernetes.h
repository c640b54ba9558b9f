// SPDX-License-Identifier: Apache-2.0
//
// What `kubectl get nodes -o json` says of hosts: GPUs, the place in the network and the NVLink
// domain by the labels of EKS and HyperPod, GKE, OCI, topograph (both generations) and NVIDIA's
// feature discovery (nvidia.com/gpu.clique), and whether a node is ready.
#pragma once

#include "topo/json_format.h"

namespace topolaunch::topo {

/// A list of nodes, or one node.
bool is_kubernetes(const Json& json);

/// Facts with origin "kubernetes FILE:LINE".
Result<std::vector<Fact>> facts_from_kubernetes(const Json& json, const GivenText& given);

}  // namespace topolaunch::topo
