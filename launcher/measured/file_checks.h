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

/// All files together: logs of two hosts each are pairs of one table. Of a folder all files in it;
/// those that hold no measurement are passed over, which a check says. invalid_input for a file
/// that is named and holds none, for a folder without any, and for a measurement that is damaged.
Result<std::vector<Check>> check_files(const std::vector<std::string>& paths,
                                       const std::vector<ExpectedFigure>& expected,
                                       const Outside& outside);

}  // namespace topolaunch::launcher
