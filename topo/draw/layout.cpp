// SPDX-License-Identifier: Apache-2.0
#include "topo/draw/layout.h"

#include <algorithm>

#include "topo/draw/text_width.h"

namespace topolaunch::topo::draw {
namespace {

constexpr double kPadding = 10, kFirst = 12, kOther = 11, kLine = 15;

/// A sheet that is one frame grows with its row.
void stretch(Drawing& part, double height) {
  auto* const frame = part.shapes.empty() ? nullptr : std::get_if<Box>(&part.shapes.front());
  if (frame == nullptr || frame->height != part.height || frame->width != part.width) return;
  frame->height = part.height = height;
}

struct Mover {
  double dx, dy;
  void operator()(Box& box) const {
    box.x += dx;
    box.y += dy;
  }
  void operator()(Words& words) const {
    words.x += dx;
    words.y += dy;
  }
  void operator()(Line& line) const {
    for (auto& [x, y] : line.points) {
      x += dx;
      y += dy;
    }
  }
};

}  // namespace

void Drawing::place(const Drawing& other, double x, double y) {
  for (Shape shape : other.shapes) {
    std::visit(Mover{x, y}, shape);
    shapes.push_back(std::move(shape));
  }
  reach(x + other.width, y + other.height);
}

Drawing flow(std::vector<Drawing> parts, double width, double gap) {
  Drawing out;
  double top = 0;
  for (std::size_t first = 0; first < parts.size();) {
    double right = parts[first].width, tallest = parts[first].height;
    std::size_t end = first + 1;
    while (end < parts.size() && right + gap + parts[end].width <= width) {
      right += gap + parts[end].width;
      tallest = std::max(tallest, parts[end].height);
      ++end;
    }
    double left = 0;
    for (; first < end; ++first) {
      stretch(parts[first], tallest);
      out.place(parts[first], left, top);
      left += parts[first].width + gap;
    }
    top += tallest + gap;
  }
  return out;
}

Drawing stacked(const std::vector<Drawing>& parts, double gap) {
  Drawing out;
  for (const Drawing& part : parts) {
    if (part.shapes.empty()) continue;
    out.place(part, 0, out.height > 0 ? out.height + gap : 0);
  }
  return out;
}

Drawing framed(const Drawing& content, const Heading& heading, Tone tone, std::string name,
               double heading_width, bool dashed) {
  double inner = std::min(heading_width, text_width(heading.first, kFirst, true));
  for (const std::string& line : heading.others) {
    inner = std::max(inner, std::min(heading_width, text_width(line, kOther)));
  }
  inner = std::max(inner, content.width);
  Drawing out;
  double y = kPadding;
  const double lines = heading.first.empty() ? 0 : 1 + static_cast<double>(heading.others.size());
  const double top = y + lines * kLine + (lines > 0 && content.height > 0 ? 6 : 0);
  Box frame{0, 0, inner + 2 * kPadding, top + content.height + kPadding, tone};
  frame.dashed = dashed;
  frame.name = std::move(name);
  out.reach(frame.width, frame.height);
  out.box(std::move(frame));
  if (lines > 0) {
    out.words({kPadding, y + kFirst, fitted(heading.first, inner, kFirst, true), kFirst, true});
    for (const std::string& line : heading.others) {
      y += kLine;
      out.words(
          {kPadding, y + kFirst, fitted(line, inner, kOther), kOther, false, Anchor::start, true});
    }
  }
  out.place(content, kPadding, top);
  return out;
}

Drawing line_of_words(const std::string& text, double width, double size, bool bold, bool quiet) {
  Drawing out;
  const std::string cut = fitted(text, width, size, bold);
  out.words({0, size, cut, size, bold, Anchor::start, quiet});
  out.reach(text_width(cut, size, bold), size * 1.3);
  return out;
}

}  // namespace topolaunch::topo::draw
