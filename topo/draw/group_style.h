// SPDX-License-Identifier: Apache-2.0
//
// Colours, and the patterns that say the same without them. Fills are light (dark in dark mode) so
// that words on them keep a contrast of 7:1 and more; groups take the hues of Okabe and Ito ("Color
// Universal Design", 2008), which people with any colour vision tell apart. There are seven
// patterns for eight colours: 56 groups differ in at least one of the two.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace topolaunch::topo::draw {

inline constexpr int kGroupColours = 8, kGroupPatterns = 7;
inline constexpr double kBandWidth = 9, kBandHeight = 6;

struct Theme {
  std::string_view paper, ink, quiet, edge, line;           ///< background, words, strokes
  std::string_view host, numa, bus, gpu, nic, link_switch;  ///< fills
  std::array<std::string_view, kGroupColours> groups;
};
extern const Theme kLightTheme, kDarkTheme;

/// The colours as CSS rules below `selector`. No custom properties: librsvg 2.54, which wikis
/// render with, does not know them.
std::string colour_rules(const Theme& theme, std::string_view selector);
/// <pattern> elements with ids PREFIXp0 to PREFIXp6.
std::string group_patterns(std::string_view prefix);

}  // namespace topolaunch::topo::draw
