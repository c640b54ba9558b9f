// SPDX-License-Identifier: Apache-2.0
//
// validate --measured FILE...: the files of topobench, of nccl-tests (text and JSON), and tables of
// pairs by any tool, held against what can be known without a plan: the ranks were one world, each
// on a device of its own, the results right, the figures as expected, and nobody slower than its
// peers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/outside.h"
#include "launcher/measured/expected.h"
#include "launcher/verdict.h"

namespace topolaunch::launcher {

/// All files together: logs of two hosts each are pairs of one table.
Result<std::vector<Check>> check_files(const std::vector<std::string>& files,
                                       const std::vector<ExpectedFigure>& expected,
                                       const Outside& outside);

/// One measurement without a plan.
std::vector<Check> check_alone(const bench::Measurement& measurement,
                               const std::vector<ExpectedFigure>& expected);

}  // namespace topolaunch::launcher
