// SPDX-License-Identifier: Apache-2.0
//
// A pair matrix as a picture: one hue from light to dark, so that it reads without colours and to
// any colour vision; what is far off the median is framed, and said in words beside. Many ranks are
// shown host by host.
#pragma once

#include <string>
#include <vector>

#include "topo/draw/drawing.h"

namespace topolaunch::launcher::page {

/// Rows send, columns receive; NaN where nothing was measured.
struct Pairs {
  std::vector<std::string> names;  ///< of rows and columns
  std::vector<std::vector<double>> values;
  bool latency = false;  ///< seconds, where less is better; else bytes/s
};

/// Median over all pairs; 0 without any.
double median_of(const Pairs& pairs);

struct Outlier {
  std::size_t row = 0, column = 0;
  double value = 0, ratio = 0;  ///< against the median: 0.5 = half as fast, or twice the latency
};
/// Pairs that reach less than `least` of the median, worst first.
std::vector<Outlier> outliers(const Pairs& pairs, double least = 0.75);

/// Ranks of one host as one row: the worst of their pairs, hosts against hosts.
Pairs by_host(const Pairs& pairs, const std::vector<std::string>& host_of_row);

/// The picture as an <svg> of its own making: a path a shade keeps 64 x 64 cells small. `prefix`
/// keeps ids of a page apart; values stand in the cells where there are at most 16 rows.
std::string heat_map_svg(const Pairs& pairs, const std::string& title, const std::string& prefix);

/// Colours of the shades, light and dark.
std::string heat_map_style();

std::string value_words(double value, bool latency);

}  // namespace topolaunch::launcher::page
