// SPDX-License-Identifier: Apache-2.0
//
// Last stages of a run: from a plan to the job's end and what is said of it.
#pragma once

#include <optional>

#include "base/outside.h"
#include "launcher/job_model.h"
#include "launcher/make_plan.h"
#include "launcher/options.h"
#include "launcher/report/story.h"
#include "launcher/run_files.h"
#include "launcher/verdict.h"
#include "launcher/voice.h"
#include "quota/hold.h"

namespace topolaunch::launcher {

/// --strict: what stops the job before it is started, validation_failed or could_not_test.
Status hold_to(const RunOptions& options, const Verdict& verdict);

/// Measures, starts and waits; fills story's plan (--ab), verdict and ending. On an error nothing of
/// the job is left, and nothing of `hold` is charged that has not run.
Status carry_out(const RunOptions& options, const PlanRequest& request, const JobModel& model,
                 Story& story, std::optional<quota::RunHold>& hold, const RunFiles& record,
                 const Outside& outside, const Voice& voice);

/// Settles the hold, checks where the ranks were, writes down how it ended and says so. The answer's
/// status is the job's, or validation_failed under --strict.
Answer settle_and_tell(const RunOptions& options, Story& story, std::optional<quota::RunHold>& hold,
                       const RunFiles& record, const Outside& outside, const Voice& voice);

}  // namespace topolaunch::launcher
