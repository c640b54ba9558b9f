// SPDX-License-Identifier: Apache-2.0
//
// leaf_clusters(): which hosts share a leaf, from how far apart pairs are; or `unsure`.
//
// Candidates are the cuts of an average-linkage tree (a single odd pair doesn't merge two leaves, as
// it does with single linkage). A cut is certain if
//   - there are two groups or more, and each has two hosts or more: one host apart may just be slow,
//   - pairs within groups are alike, pairs between them lie beyond by a factor (they may differ
//     among themselves: load, further levels),
//   - nearly all pairs are on their side, for each host, and no host would fit elsewhere as well.
// Of several certain cuts the one with the fewest odd pairs counts. The thresholds were set on
// simulated fabrics and tried on others: tests/topo/fabric_probe_test.cpp has the error rates.
#pragma once

#include <string>
#include <vector>

#include "topo/pair_table.h"

namespace topolaunch::topo {

struct LeafClusters {
  bool sure = false;
  std::vector<int> leaf;  ///< of each host of the table; empty if not sure
  int leaves = 0;
  std::string why;  ///< not sure: what spoke against the best candidate
  // What the certainty rests on:
  std::size_t pairs = 0;           ///< that were measured
  std::size_t odd = 0;             ///< on the wrong side
  double ratio = 1;                ///< typical pair between leaves against one within
  double within = 0, between = 0;  ///< medians, as PairTable has them
};

LeafClusters leaf_clusters(const PairTable& table);

}  // namespace topolaunch::topo
