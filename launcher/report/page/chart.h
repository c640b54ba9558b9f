// SPDX-License-Identifier: Apache-2.0
//
// A chart of values over message sizes, both axes logarithmic: lines told apart by dashes and marks
// as well as by their place in the key.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "topo/draw/drawing.h"

namespace topolaunch::launcher::page {

struct Series {
  std::string name;
  topo::draw::Stroke stroke = topo::draw::Stroke::plain;
  bool marks = true;                                    ///< a mark a point
  std::vector<std::pair<std::int64_t, double>> points;  ///< bytes, bytes/s
};

/// Points without a positive value are left out; nothing at all without any.
topo::draw::Drawing bandwidth_chart(const std::string& title, const std::vector<Series>& series);

}  // namespace topolaunch::launcher::page
