// SPDX-License-Identifier: Apache-2.0
//
// Checks that name what is slow, from pairs, groups and figures by others (bench/culprit.h).
#pragma once

#include <string>
#include <vector>

#include "bench/culprit.h"
#include "launcher/verdict.h"

namespace topolaunch::launcher {

/// A failure for each culprit, with its confidence and the test that would confirm it; a pass where
/// nothing stands out; could-not-test where nothing could be held against anything.
std::vector<Check> culprit_checks(const std::string& name, const bench::Findings& findings,
                                  const std::string& source);

/// "pairs" and "groups" of a measurement, as far as they were measured.
std::vector<Check> check_culprits(const bench::Measurement& measurement);

}  // namespace topolaunch::launcher
