// SPDX-License-Identifier: Apache-2.0
//
// Sheets put together: side by side, below each other, in a frame with a heading. Each function
// measures what it is given, so nothing can come to lie over anything else.
#pragma once

#include <string>
#include <vector>

#include "topo/draw/drawing.h"

namespace topolaunch::topo::draw {

inline constexpr double kGap = 8;

/// Left to right, a new row where `width` is full. Frames of one row get the height of the tallest.
Drawing flow(std::vector<Drawing> parts, double width, double gap = kGap);

/// Below each other, left edges in line.
Drawing stacked(const std::vector<Drawing>& parts, double gap = kGap);

struct Heading {
  std::string first;                ///< bold
  std::vector<std::string> others;  ///< quiet, a line each
};

/// `content` in a box with a heading above it; as wide as the wider of both, where the heading's
/// lines count up to `heading_width` and are cut beyond. `name` is what a screen reader says.
Drawing framed(const Drawing& content, const Heading& heading, Tone tone, std::string name,
               double heading_width, bool dashed = false);

/// One line of words, cut to `width`, as a sheet of its own.
Drawing line_of_words(const std::string& text, double width, double size, bool bold = false,
                      bool quiet = false);

}  // namespace topolaunch::topo::draw
