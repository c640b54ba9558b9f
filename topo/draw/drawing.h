// SPDX-License-Identifier: Apache-2.0
//
// Drawing: a picture as a value: boxes, lines and words on a sheet, in pixels, y downwards. Layouts
// make it (host_sheet.h, cluster_sheet.h), svg.h writes it; none of them knows of the other.
//
//   Drawing sheet;
//   sheet.box({10, 10, 120, 40, Tone::gpu});
//   sheet.words({20, 34, "GPU 0", 13, true});
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace topolaunch::topo::draw {

/// What a shape stands for; the colours are the writer's.
enum class Tone { host, numa, bus, gpu, nic, link_switch, leaf, spine, plain, lost };

/// Where the mark of a group is: a band with the group's pattern, beside the words and never below
/// them, so that a print without colours can be read.
enum class Band { none, left, top };

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
  Tone tone = Tone::plain;
  int group = -1;  ///< of ranks: colour and pattern; -1 = none
  Band band = Band::none;
  bool dashed = false;    ///< something that is not known, or not there
  std::string name = {};  ///< accessible name and tooltip; empty = decoration
};

enum class Anchor { start, middle, end };

struct Words {
  double x = 0, y = 0;  ///< baseline
  std::string text = {};
  double size = 12;
  bool bold = false;
  Anchor anchor = Anchor::start;
  bool quiet = false;  ///< of less weight
};

/// How a line is drawn: told apart by width and dashes, not by colour.
enum class Stroke { plain, thick, dashed, dotted };

struct Line {
  std::vector<std::pair<double, double>> points = {};
  Stroke stroke = Stroke::plain;
  std::string name = {};
};

using Shape = std::variant<Box, Words, Line>;

struct Drawing {
  std::string title, description;
  double width = 0, height = 0;
  std::vector<Shape> shapes;  ///< later ones lie above earlier ones

  void box(Box shape) { shapes.emplace_back(std::move(shape)); }
  void words(Words shape) { shapes.emplace_back(std::move(shape)); }
  void line(Line shape) { shapes.emplace_back(std::move(shape)); }
  /// Copies what another sheet holds, moved by (x, y).
  void place(const Drawing& other, double x, double y);
  /// Makes the sheet large enough for `right` and `bottom`.
  void reach(double right, double bottom) {
    width = width < right ? right : width;
    height = height < bottom ? bottom : height;
  }
};

}  // namespace topolaunch::topo::draw
