// SPDX-License-Identifier: Apache-2.0
//
// Pairs that nobody measured: nothing stands out among them because nobody looked.
#pragma once

#include <string>
#include <vector>

#include "bench/culprit.h"
#include "launcher/verdict.h"

namespace topolaunch::launcher {

/// A check that could not be made, with how many pairs of each test are missing and the first ones'
/// names; nothing where all are there. A pair counts as measured if one direction was, or failed.
std::vector<Check> missing_pairs(const std::vector<bench::PairFigure>& figures,
                                 const std::vector<std::string>& hosts, const std::string& source);
std::vector<Check> missing_pairs(const bench::Measurement& measurement, const std::string& source);

}  // namespace topolaunch::launcher
