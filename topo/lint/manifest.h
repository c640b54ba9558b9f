// SPDX-License-Identifier: Apache-2.0
//
// Kubernetes manifests of GPU jobs (Job, JobSet, PyTorchJob and its kin, Pod), YAML or JSON: what
// they ask for held against what they start, and Kueue's topology annotations.
#pragma once

#include <string>
#include <vector>

#include "topo/topology.h"

namespace topolaunch::topo {

/// True for text with "apiVersion:" and "kind:" at the beginning of lines, or their JSON.
bool looks_like_manifest(const std::string& text);

/// invalid_input with the line for text that is no YAML.
Result<std::vector<Warning>> check_manifest(const std::string& text, const std::string& file);

}  // namespace topolaunch::topo
