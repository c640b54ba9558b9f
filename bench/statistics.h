// SPDX-License-Identifier: Apache-2.0
//
// What is said about a row of timings. Medians and percentiles, never means: on a shared machine
// one preempted iteration moves the mean of twenty by a factor, the median not at all.
#pragma once

#include <vector>

namespace topolaunch::bench {

/// Value below which the fraction `p` (0..1) of `values` lies, interpolated linearly between the
/// two nearest ranks: position p * (n - 1) in the sorted row (Hyndman and Fan's type 7, the default
/// of numpy.percentile and of R). So p99 of fewer than 101 values lies between the two largest.
/// 0 for an empty row; p outside 0..1 is clamped.
double percentile(std::vector<double> values, double p);

/// percentile(values, 0.5): the middle value, or the mean of the two middle ones.
double median(std::vector<double> values);

struct Spread {
  double minimum = 0, p50 = 0, p99 = 0, maximum = 0;
};
/// All four with one sort; zeros for an empty row.
Spread spread(std::vector<double> values);

}  // namespace topolaunch::bench
