// SPDX-License-Identifier: Apache-2.0
//
// What a probe of the network found out, as the file that `topolaunch topo --probe` keeps and
// --topology reads: leaves with what their certainty rests on, the pairs, and what it cost.
//
//   {"schema": "topolaunch.probe/1", "hosts": ["h0", ...], "sure": true, "leaves": [["h0", ...], ...],
//    "by": "bandwidth", "pairs": 120, "pairs_that_fit": 119, "ratio": 3.1, "why": "", "rounds": 90, ...}
#pragma once

#include <string>
#include <vector>

#include "topo/fabric_probe.h"
#include "topo/json_format.h"

namespace topolaunch::topo {

/// What it took to measure.
struct ProbeCost {
  Seconds time;             ///< of measuring, without the start of the job
  Bytes sent;               ///< over all pairs
  Bytes message;            ///< of a pair in a round
  std::string time_of_day;  ///< ISO 8601
  std::string backend;      ///< "mpi host memory"
};

Json probe_json(const std::vector<std::string>& hosts, const ProbeResult& result,
                const ProbeCost& cost);

/// "4 leaves by bandwidth: 119 of 120 pairs fit, ..." or "leaves unsure: ...", and the cost.
/// invalid_input where the file is no whole probe.
Result<std::string> probe_words(const Json& json, const std::string& file);
/// Whether the probe was certain.
bool probe_is_sure(const Json& json);

bool is_probe(const Json& json);
/// Switches with origin "measured FILE", where the probe was certain; the words as a note.
Result<std::vector<Fact>> facts_from_probe(const Json& json, const GivenText& given);

}  // namespace topolaunch::topo
