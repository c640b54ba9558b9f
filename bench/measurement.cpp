// SPDX-License-Identifier: Apache-2.0
#include "bench/measurement.h"

#include <algorithm>

namespace topolaunch::bench {

bool on_gpus(const Measurement& measurement) {
  return std::any_of(measurement.devices.begin(), measurement.devices.end(),
                     [](const Device& d) { return !d.device.empty() && d.device != "cpu"; });
}

void summarise(Measurement& measurement) {
  measurement.wrong = -1;
  const auto count = [&](std::int64_t wrong) {
    if (wrong >= 0) measurement.wrong = std::max<std::int64_t>(measurement.wrong, 0) + wrong;
  };
  double sum = 0;
  int timings = 0;
  for (const SizeResult& result : measurement.results) {
    for (const Timing* timing : {&result.out_of_place, &result.in_place}) {
      count(timing->wrong);
      sum += timing->busbw;
      ++timings;
    }
  }
  for (const GroupResult& group : measurement.groups) {
    for (const SizeResult& result : group.results) {
      count(result.out_of_place.wrong);
      count(result.in_place.wrong);
    }
  }
  if (measurement.pairs) count(measurement.pairs->wrong);
  measurement.average_busbw = timings > 0 ? sum / timings : 0;
}

}  // namespace topolaunch::bench
