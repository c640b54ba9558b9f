// SPDX-License-Identifier: Apache-2.0
//
// The path, top to bottom: discover, assemble, model, solve, admit, plan, start, validate, report.
#pragma once

#include "base/outside.h"
#include "launcher/options.h"
#include "launcher/voice.h"

namespace topolaunch::launcher {

/// Starts the command and waits for it. The answer's status is the job's own; an Error means that it
/// was not started. With --dry-run the plan is in the answer's text and nothing was touched.
Result<Answer> run(const RunOptions& options, const Outside& outside, const Voice& voice);

}  // namespace topolaunch::launcher
