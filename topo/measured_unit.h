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

/// For messages: what measured_unit() knows.
inline constexpr std::string_view kMeasuredUnits =
    "units are B/s, GB/s, GiB/s, Gb/s, Gbit/s (with k, M, G or T); s, ms, us, ns; distance, hops";

/// Nothing if the words name no unit. A capital B is bytes and a small b bits, but "gb/s" all in
/// small letters, which is bytes. "bandwidth" and "busbw" by themselves are GB/s, as nccl-tests
/// has them, "latency" is seconds.
std::optional<MeasuredUnit> measured_unit(std::string_view words);

/// True for words that say whose figures these are and nothing of a unit: "", "host", "from/to".
bool names_no_unit(std::string_view words);

}  // namespace topolaunch::topo
