// SPDX-License-Identifier: Apache-2.0
//
// Whether all that was measured came out right: the check "results", which says at which size and,
// where topobench has counted them by rank, on which ranks elements were wrong.
#pragma once

#include "bench/measurement.h"
#include "launcher/verdict.h"

namespace topolaunch::launcher {

Check wrong_elements_check(const bench::Measurement& measurement);

}  // namespace topolaunch::launcher
