// SPDX-License-Identifier: Apache-2.0
//
// How wide words may become. The viewer picks the font, so these are the advances of the widest
// usual one, DejaVu Sans (Verdana is as wide); Arial, Helvetica, Segoe and Roboto stay below it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace topolaunch::topo::draw {

/// Pixels that `text` (UTF-8) takes at most at this size.
double text_width(std::string_view text, double size, bool bold = false);

/// `text`, cut at its end with an ellipsis where it is wider than `width`; empty if not even that
/// fits.
std::string fitted(std::string_view text, double width, double size, bool bold = false);

/// `text` broken at blanks into lines of at most `width`; a longer word is fitted.
std::vector<std::string> broken(std::string_view text, double width, double size);

}  // namespace topolaunch::topo::draw
