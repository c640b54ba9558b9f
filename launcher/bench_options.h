// SPDX-License-Identifier: Apache-2.0
//
// topobench's word on the options behind `topolaunch bench --`, had before anything is started: it
// reads its own, so that what it would refuse is said in its words.
#pragma once

#include <string>
#include <vector>

#include "base/outside.h"
#include "launcher/plan.h"

namespace topolaunch::launcher {

/// The options by themselves. Its help or version where they ask for that, else empty; wrong_usage,
/// or unavailable where it can't be asked or isn't built to do that.
Result<std::string> checked_options(const std::vector<std::string>& options,
                                    const std::string& topobench, const Outside& outside);

/// The options on the plan's ranks: as many, with rank 0's variables. The plan's program is
/// topobench.
Status options_fit(const std::vector<std::string>& options, const Plan& plan,
                   const Outside& outside);

}  // namespace topolaunch::launcher
