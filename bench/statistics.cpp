// SPDX-License-Identifier: Apache-2.0
#include "bench/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace topolaunch::bench {
namespace {

double of_sorted(const std::vector<double>& sorted, double p) {
  const double position = std::clamp(p, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(position));
  const auto above = std::min(below + 1, sorted.size() - 1);
  const double fraction = position - static_cast<double>(below);
  return sorted[below] + fraction * (sorted[above] - sorted[below]);
}

}  // namespace

double percentile(std::vector<double> values, double p) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return of_sorted(values, p);
}

double median(std::vector<double> values) { return percentile(std::move(values), 0.5); }

Spread spread(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  return {values.front(), of_sorted(values, 0.5), of_sorted(values, 0.99), values.back()};
}

}  // namespace topolaunch::bench
