// SPDX-License-Identifier: Apache-2.0
//
// Variables that hurt a GPU job, wherever they are set: in a process's environment, in a saved list
// of NAME=VALUE lines, in a script's exports, in a job request.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topo/topology.h"

namespace topolaunch::topo {

struct Variable {
  std::string name, value;
  int line = 0;
};

/// "NAME=value", "export NAME='value'", one a line; other lines say nothing.
std::vector<Variable> variables_of(std::string_view text);

/// What is known of the place where the variables hold.
struct EnvironmentPlace {
  std::string file;            ///< empty: a process's own environment
  const Host* host = nullptr;  ///< to hold names of GPUs and NICs against; may be absent
  int ranks_per_host = 0;      ///< 0: as the variables say, if they do
};

std::vector<Warning> check_environment(const std::vector<Variable>& variables,
                                       const EnvironmentPlace& place);

}  // namespace topolaunch::topo
