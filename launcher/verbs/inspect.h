// SPDX-License-Identifier: Apache-2.0
//
// The verb that looks and starts nothing: topo.
#pragma once

#include "base/outside.h"
#include "launcher/options.h"
#include "launcher/voice.h"

namespace topolaunch::launcher {

Result<Answer> topo_verb(const TopoOptions& options, const Outside& outside);


}  // namespace topolaunch::launcher
