// SPDX-License-Identifier: Apache-2.0
//
// One measurement without a plan: its ranks were one world, each on a device of its own, the
// results right, the figures as expected, and nobody slower than its peers.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/measurement.h"
#include "bench/nccl_log.h"
#include "launcher/measured/expected.h"
#include "launcher/verdict.h"

namespace topolaunch::launcher {

std::vector<Check> check_alone(const bench::Measurement& measurement,
                               const std::vector<ExpectedFigure>& expected);

/// Of a log also whether it ended, and how it says so itself.
std::vector<Check> check_run(const bench::NcclRun& run,
                             const std::vector<ExpectedFigure>& expected);

/// What is wrong with so many worlds of one rank.
std::string lone_worlds(std::size_t worlds);

}  // namespace topolaunch::launcher
