// SPDX-License-Identifier: Apache-2.0
#include "topo/draw/group_style.h"

#include <fmt/format.h>

namespace topolaunch::topo::draw {
namespace {

// Seven marks in tiles of 6 x 6 on the group's colour: told apart in one colour, too.
constexpr std::array<std::string_view, kGroupPatterns> kMarks{
    "<rect width=\"6\" height=\"6\"/>",           // solid
    "<path d=\"M-1 1L1-1M0 6L6 0M5 7L7 5\"/>",    // rising lines
    "<circle cx=\"3\" cy=\"3\" r=\"1.6\"/>",      // dots
    "<path d=\"M0 3H6\" stroke-width=\"2.4\"/>",  // level lines
    "<path d=\"M-1 5L1 7M0 0L6 6M5-1L7 1\"/>",    // falling lines
    "<path d=\"M3 0V6\"/>",                       // upright lines
    "<path d=\"M0 0L6 6M0 6L6 0\"/>"};            // crosses

}  // namespace

const Theme kLightTheme{
    "#fff",
    "#111",
    "#444",
    "#555",
    "#333",
    "#f4f4f4",
    "#f7f7f7",
    "#ececec",
    "#dcefd8",
    "#e0e8f6",
    "#e6e0ec",
    {"#a6d3f2", "#f6cf86", "#93dcc2", "#f2b795", "#c9c5f0", "#efe68a", "#edbfd9", "#cfcfcf"}};
const Theme kDarkTheme{
    "#161616",
    "#f2f2f2",
    "#c4c4c4",
    "#9a9a9a",
    "#cfcfcf",
    "#222",
    "#1f1f1f",
    "#2b2b2b",
    "#1d3a1d",
    "#1d2a44",
    "#332a3d",
    {"#0d4a73", "#6b4a00", "#00513b", "#7a3300", "#3f3a80", "#5a5400", "#6b2d52", "#4a4a4a"}};

std::string colour_rules(const Theme& theme, std::string_view selector) {
  std::string css;
  const auto fill = [&](std::string_view of, std::string_view colour) {
    css += fmt::format("{} {}{{fill:{}}}\n", selector, of, colour);
  };
  fill(".paper", theme.paper);
  css += fmt::format("{} .b{{stroke:{}}}\n", selector, theme.edge);
  css += fmt::format("{} .l{{stroke:{}}}\n", selector, theme.line);
  fill(".t", theme.ink);
  fill(".q", theme.quiet);
  css += fmt::format("{} pattern *{{fill:{};stroke:{}}}\n", selector, theme.ink, theme.ink);
  fill(".host", theme.host);
  fill(".plain", theme.host);
  fill(".numa", theme.numa);
  fill(".bus", theme.bus);
  fill(".gpu", theme.gpu);
  fill(".nic", theme.nic);
  for (const std::string_view box : {".sw", ".leaf", ".spine"}) fill(box, theme.link_switch);
  for (std::size_t i = 0; i < theme.groups.size(); ++i) {
    fill(fmt::format(".g{}", i), theme.groups[i]);
  }
  return css;
}

std::string group_patterns(std::string_view prefix) {
  std::string out;
  for (std::size_t i = 0; i < kMarks.size(); ++i) {
    out += fmt::format(
        "<pattern id=\"{}p{}\" width=\"6\" height=\"6\" "
        "patternUnits=\"userSpaceOnUse\">{}</pattern>",
        prefix, i, kMarks[i]);
  }
  return out;
}

}  // namespace topolaunch::topo::draw
