// SPDX-License-Identifier: Apache-2.0
#include "bench/sweep.h"

#include <algorithm>
#include <limits>
#include <string>

namespace topolaunch::bench {

Result<std::vector<std::int64_t>> sweep_sizes(const Sweep& sweep, std::int64_t element) {
  const std::int64_t first = sweep.minimum.count(), last = sweep.maximum.count();
  const std::int64_t step = sweep.step.count();
  if (first < 1) return fail(Code::wrong_usage, "the smallest size (-b) is below 1 byte");
  if (last < first) {
    return fail(Code::wrong_usage, "the largest size (-e) is " + to_text(sweep.maximum) +
                                       ", below the smallest (-b), " + to_text(sweep.minimum));
  }
  if (step < 0) return fail(Code::wrong_usage, "the step (-i) is negative");
  if (step == 0 && sweep.factor < 2 && first != last) {
    return fail(Code::wrong_usage,
                "the factor (-f) is " + std::to_string(sweep.factor) + ", and has to be 2 or more");
  }
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = first; size <= last;) {
    const std::int64_t whole = std::max(size / element * element, element);
    if (sizes.empty() || sizes.back() != whole) sizes.push_back(whole);
    if (sizes.size() > kMostSizes) {
      return fail(Code::wrong_usage, "more than " + std::to_string(kMostSizes) + " sizes",
                  "a larger step (-i), or a factor (-f)");
    }
    if (first == last) break;
    const std::int64_t most = std::numeric_limits<std::int64_t>::max();
    if (step > 0) {
      if (size > most - step) break;
      size += step;
    } else {
      if (size > most / sweep.factor) break;
      size *= sweep.factor;
    }
  }
  return sizes;
}

}  // namespace topolaunch::bench
