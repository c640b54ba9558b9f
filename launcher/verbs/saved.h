// SPDX-License-Identifier: Apache-2.0
//
// The verbs that read what runs have left: validate, report, ps.
#pragma once

#include "base/outside.h"
#include "launcher/options.h"
#include "launcher/voice.h"

namespace topolaunch::launcher {

/// Ends as its verdict says: 0 pass, or nothing to look at; 80 fail; 81 could-not-test. With
/// --strict a run that measured nothing could not be tested.
Result<Answer> validate_verb(const ValidateOptions& options, const Outside& outside);

Result<Answer> report_verb(const ReportOptions& options, const Outside& outside);

/// Runs of this user's state folder, and those that the ledger knows besides.
Result<Answer> ps_verb(const PsOptions& options, const Outside& outside);

}  // namespace topolaunch::launcher
