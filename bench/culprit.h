// SPDX-License-Identifier: Apache-2.0
//
// Names what is slow: the host, the GPU or NIC of a rank, the link of a host, the uplink of a leaf,
// the path between two. From what pairs of ranks or hosts reached, or groups; by elimination.
//
//   for (const Culprit& c : culprits_of_pairs(measurement)) say(c.name, c.evidence, c.confirm);
//
// One number alone names nothing where another measurement of the same path could agree: a path
// between two is named only if it is slow in two kinds of measurement, or only one was made.
#pragma once

#include <string>
#include <vector>

#include "bench/measurement.h"

namespace topolaunch::bench {

struct Culprit {
  enum class Kind { host, host_link, rank, leaf, path, one_direction };
  Kind kind = Kind::host;
  std::string name;  ///< "host h07", "uplink of leaf s3", "path h03 - h10", "h02 sending to h06"
  double ratio = 1;  ///< of what is healthy
  double confidence = 0;  ///< 0..1
  std::string evidence;   ///< "22 of 22 figures over it at 0.49 of 48.4 GB/s (one way, concurrent)"
  std::string confirm;    ///< the test that would settle it
};

struct Findings {
  std::vector<Culprit> culprits;  ///< the surest first
  bool judged = false;            ///< false: too little was measured to hold against each other
  std::string why_not;
};

/// What one pair of named ends reached in one test.
struct PairFigure {
  std::string from, to;   ///< hosts
  double value = 0;       ///< the larger the better (bytes/s, or 1/seconds); 0 = it failed
  std::string test;       ///< figures of one test are held against each other
  bool directed = false;  ///< `from` alone sent
  bool latency = false;
  /// Where they are known, pairs under one leaf and pairs across are held against their own kind.
  std::string from_leaf = {}, to_leaf = {};
};

/// Of figures by others, in bytes/s, or in 1/seconds where they are latencies.
Findings culprits_of_figures(const std::vector<PairFigure>& figures);

/// Of topobench's pairs, with the hosts and leaves of its devices.
Findings culprits_of_pairs(const Measurement& measurement);

/// Of groups along one axis or more that did the same side by side.
Findings culprits_of_groups(const Measurement& measurement);

}  // namespace topolaunch::bench
