// SPDX-License-Identifier: Apache-2.0
//
// Shim: what every rank is started as. It is given its order, takes its place, looks at what it
// got, tells topolaunch, and becomes the command.
#pragma once

#include <functional>

#include "base/outside.h"
#include "launcher/ending.h"
#include "launcher/shim/order.h"

namespace topolaunch::launcher {

/// Binds, checks, calls `seen`, and becomes the command. `own`: the variables of this process.
/// Returns only on failure, with become()'s errors.
Error take_place_and_become(const Order& order, const CpuSet& keep_descriptors,
                            const Outside& outside,
                            const std::function<void(const RankObservation&)>& seen);

}  // namespace topolaunch::launcher
