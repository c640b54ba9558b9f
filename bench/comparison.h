// SPDX-License-Identifier: Apache-2.0
//
// What got slower between two measurements of the same thing, told from noise: medians that lie
// further apart than both rows of timings scatter, and by kNoticeable at least.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "bench/measurement.h"

namespace topolaunch::bench {

struct Difference {
  enum class Way { slower, faster, same, unknown };
  std::int64_t size = 0;
  bool in_place = false;
  double before = 0, now = 0;  ///< seconds
  double noise = 0;            ///< a difference of this fraction is chance
  Way way = Way::same;
  double ratio() const { return before > 0 ? now / before : 0; }
};

/// Less is not worth a word, however sure.
inline constexpr double kNoticeable = 0.05;

/// One entry for each size and placement that both have. wrong_usage where the two can't be
/// compared: another collective, backend or number of ranks.
Result<std::vector<Difference>> compare(const Measurement& before, const Measurement& now);

/// A line for each size that changed, and one that counts the others; from when `before` is.
std::string to_text(const std::vector<Difference>& differences, const std::string& before);

}  // namespace topolaunch::bench
