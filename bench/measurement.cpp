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
  double sum = 0;
  int timings = 0;
  for (const SizeResult& result : measurement.results) {
    for (const Timing* timing : {&result.out_of_place, &result.in_place}) {
      if (timing->wrong >= 0) {
        measurement.wrong = std::max<std::int64_t>(measurement.wrong, 0) + timing->wrong;
      }
      sum += timing->busbw;
      ++timings;
    }
  }
  measurement.average_busbw = timings > 0 ? sum / timings : 0;
}

}  // namespace topolaunch::bench
