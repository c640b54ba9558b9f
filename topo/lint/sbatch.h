// SPDX-License-Identifier: Apache-2.0
//
// A batch script for Slurm: its #SBATCH lines held against each other and against what it starts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topo/topology.h"

namespace topolaunch::topo {

bool looks_like_sbatch(std::string_view text);

std::vector<Warning> check_sbatch(std::string_view text, const std::string& file);

}  // namespace topolaunch::topo
