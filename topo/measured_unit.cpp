// SPDX-License-Identifier: Apache-2.0
#include "topo/measured_unit.h"

#include <cctype>
#include <string>

namespace topolaunch::topo {
namespace {

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

std::optional<MeasuredUnit> measured_unit(std::string_view words) {
  using Of = PairFact::Of;
  std::string text(words);
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (has(text, "bytes_per_second") || text == "b/s") return MeasuredUnit{Of::bandwidth, 1};
  // Upper and lower case b differ by eight.
  if (has(words, "Gb/s") || has(text, "gbit") || has(text, "gbps")) {
    return MeasuredUnit{Of::bandwidth, 1e9 / 8};
  }
  if (has(words, "Mb/s") || has(text, "mbit") || has(text, "mbps")) {
    return MeasuredUnit{Of::bandwidth, 1e6 / 8};
  }
  if (has(text, "gib/s")) return MeasuredUnit{Of::bandwidth, 1073741824.0};
  if (has(text, "gb/s") || has(text, "gbs") || has(text, "busbw") || has(text, "bandwidth")) {
    return MeasuredUnit{Of::bandwidth, 1e9};
  }
  if (has(text, "mb/s")) return MeasuredUnit{Of::bandwidth, 1e6};
  if (has(text, "_us") || has(text, "(us)") || text == "us" || has(text, "\xC2\xB5s") ||
      has(text, "\xCE\xBCs") || has(text, "usec") || has(text, "microsecond")) {
    return MeasuredUnit{Of::latency, 1e-6};
  }
  if (has(text, "_ns") || has(text, "(ns)") || text == "ns") return MeasuredUnit{Of::latency, 1e-9};
  if (has(text, "_ms") || has(text, "(ms)") || text == "ms") return MeasuredUnit{Of::latency, 1e-3};
  if (has(text, "latency") || has(text, "seconds")) return MeasuredUnit{Of::latency, 1};
  if (has(text, "distance") || has(text, "hops")) return MeasuredUnit{Of::distance, 1};
  return {};
}

}  // namespace topolaunch::topo
