// SPDX-License-Identifier: Apache-2.0
//
// --solver-command: a program of the user's as the solver. It reads one JSON object on stdin
// (topolaunch.problem/1: topology, graph, seats, constraints) and prints one
// ({"schema": "topolaunch.placement/1", "placement": [{"rank": 0, "host": "h0", "gpu_index": 3},
// ...]}). What it answers is checked like our own; docs/mapping.md has both formats.
#pragma once

#include <memory>
#include <string>

#include "base/outside.h"
#include "mapping/solver.h"

namespace topolaunch::launcher {

/// `command` as a shell would split it. wrong_usage where that can't be.
Result<std::unique_ptr<mapping::Solver>> program_solver(const std::string& command,
                                                        const Outside& outside);

}  // namespace topolaunch::launcher
