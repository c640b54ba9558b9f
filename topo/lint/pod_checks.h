// SPDX-License-Identifier: Apache-2.0
//
// One pod template of a manifest: its containers' GPUs, ranks, variables and shared memory, and the
// topology annotations that Kueue reads of it.
#pragma once

#include <yaml-cpp/yaml.h>

#include <optional>
#include <string>
#include <vector>

#include "topo/topology.h"

namespace topolaunch::topo {

struct PodTemplate {
  YAML::Node metadata, spec;
  std::optional<int> pods;           ///< how many of them run at once; nothing = not said
  std::optional<int> ranks_per_pod;  ///< as the job's kind says it (nprocPerNode)
  /// How many containers and variables may still be looked at: YAML's aliases can multiply a small
  /// file.
  int* budget;
};

/// `file` names the manifest; lines come from the nodes.
std::vector<Warning> check_pods(const PodTemplate& pod, const std::string& file);

/// Names of topology annotations in `metadata`, with their lines.
std::vector<std::pair<std::string, int>> topology_annotations(const YAML::Node& metadata);

/// A member of a map; an undefined node for anything else.
YAML::Node member(const YAML::Node& node, const char* name);
std::string text_of(const YAML::Node& node);
std::optional<int> number_in(const YAML::Node& node);
int line_of(const YAML::Node& node);

}  // namespace topolaunch::topo
