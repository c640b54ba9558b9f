// SPDX-License-Identifier: Apache-2.0
//
// `topolaunch lint`: topology files and this machine, the environment, job requests. The rules are
// topo's (topo/lint); this verb reads files and shows what was found.
#pragma once

#include "base/outside.h"
#include "launcher/options.h"
#include "launcher/voice.h"

namespace topolaunch::launcher {

/// Status 1 with findings of severity error or warning, 0 with notes alone; 65 if a file can't be
/// read at all (the others are looked at all the same), 69 if this machine can't be looked at.
Result<Answer> lint_verb(const LintOptions& options, const Outside& outside);

}  // namespace topolaunch::launcher
