// SPDX-License-Identifier: Apache-2.0
//
// `topolaunch map`: solve and print, start nothing; move what a replaced host makes move; compare
// plans and machines.
#pragma once

#include "base/outside.h"
#include "launcher/options.h"
#include "launcher/voice.h"

namespace topolaunch::launcher {

/// `voice` hears what discovery warns of.
Result<Answer> map_verb(const MapOptions& options, const Outside& outside, const Voice& voice);

}  // namespace topolaunch::launcher
