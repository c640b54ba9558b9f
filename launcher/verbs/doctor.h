// SPDX-License-Identifier: Apache-2.0
//
// doctor: what can be used here, what is missing, how to get it; and with --config which setting won.
#pragma once

#include "base/outside.h"
#include "launcher/options.h"
#include "launcher/settings.h"
#include "launcher/voice.h"

namespace topolaunch::launcher {

/// Always 0: a part that is missing is an answer, not a failure.
Result<Answer> doctor_verb(const DoctorOptions& options, const Settings& settings,
                           const Outside& outside);

}  // namespace topolaunch::launcher
