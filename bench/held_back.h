// SPDX-License-Identifier: Apache-2.0
//
// Hosts that a CPU quota holds back: what the kernel has counted while their ranks copied their own
// memory (PairMatrix::held_back). No elimination is needed for it, and no healthy host to hold it
// against.
#pragma once

#include <string>
#include <vector>

#include "bench/culprit.h"
#include "bench/pair_matrix.h"

namespace topolaunch::bench {

struct HeldBack {
  std::string host;
  double share = 0;  ///< of the time
};

/// `hosts`: by row of the matrix.
std::vector<HeldBack> hosts_held_back(const PairMatrix& pairs, const std::vector<std::string>& hosts);

/// Names them beside what was found, or adds to what was found of the same host.
void add_held_back(const std::vector<HeldBack>& held_back, Findings& findings);

}  // namespace topolaunch::bench
