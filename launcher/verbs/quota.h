// SPDX-License-Identifier: Apache-2.0
//
// The command line of `topolaunch quota SUBVERB`; the work is done in quota/verbs.
#pragma once

#include "base/outside.h"
#include "launcher/options.h"
#include "launcher/settings.h"
#include "launcher/voice.h"

namespace topolaunch::launcher {

/// `settings` gives ledger, token and rules where no option does.
Result<Answer> quota_verb(const QuotaVerbOptions& options, const Settings& settings,
                          const Outside& outside);

}  // namespace topolaunch::launcher
