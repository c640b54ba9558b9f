// SPDX-License-Identifier: Apache-2.0
//
// What a rank really got, looked at from inside it, against what the plan says.
#pragma once

#include "base/outside.h"
#include "launcher/ending.h"
#include "launcher/plan.h"

namespace topolaunch::launcher {

/// `variables` are those that the command will get. What could not be checked is a problem as well,
/// in words of its own; an empty list of problems means: as planned.
RankObservation observe_rank(const RankPlan& plan, const Environment& variables,
                             const Outside& outside);

Json to_json(const RankObservation& observation);
Result<RankObservation> observation_from_json(const Json& json);

}  // namespace topolaunch::launcher
