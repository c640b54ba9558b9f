// SPDX-License-Identifier: Apache-2.0
//
// The verbs that look and start nothing: topo, map.
#pragma once

#include "base/outside.h"
#include "launcher/options.h"
#include "launcher/voice.h"

namespace topolaunch::launcher {

Result<Answer> topo_verb(const TopoOptions& options, const Outside& outside);

Result<Answer> map_verb(const MapOptions& options, const Outside& outside, const Voice& voice);

}  // namespace topolaunch::launcher
