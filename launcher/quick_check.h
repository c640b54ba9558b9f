// SPDX-License-Identifier: Apache-2.0
//
// --validate: whether the placement is measured before the job, and what that says.
#pragma once

#include <optional>
#include <string>

#include "base/outside.h"
#include "launcher/options.h"
#include "launcher/report/story.h"
#include "launcher/voice.h"

namespace topolaunch::launcher {

/// Whether to measure, and why not: "auto" measures when several GPUs take part and this placement
/// has not passed since the machine's boot. `topology_given`: the plan's machine is a description,
/// which may have GPUs where this one has none: nothing can be measured then.
struct MeasureDecision {
  bool measure = false;
  bool asked = false;   ///< by name (quick, full): not being able to is then worth a word
  std::string why_not;
};
MeasureDecision decide_measure(const std::string& validate, const Plan& plan,
                               const Outside& outside, bool topology_given = false);

/// Measures if decided so; fills measurement, estimate, checks and reasons of the story. Bounded:
/// quick 20 s, full 10 min. interrupted (130) is the only error; others become checks.
Status measure_before(const RunOptions& options, Story& story, const Outside& outside,
                      const Voice& voice);

}  // namespace topolaunch::launcher
