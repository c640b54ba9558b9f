// SPDX-License-Identifier: Apache-2.0
//
// What a figure is in, from the words over it: "GB/s", "Gb/s", "latency_us", "bytes_per_second".
#pragma once

#include <optional>
#include <string_view>

#include "topo/fact.h"

namespace topolaunch::topo {

struct MeasuredUnit {
  PairFact::Of of = PairFact::Of::distance;
  double factor = 1;  ///< to bytes per second or seconds
};

/// Nothing if the words name no unit.
std::optional<MeasuredUnit> measured_unit(std::string_view words);

}  // namespace topolaunch::topo
