// SPDX-License-Identifier: Apache-2.0
#include "launcher/report/page/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "topo/draw/text_width.h"

namespace topolaunch::launcher::page {
namespace {

using topo::draw::Anchor;
using topo::draw::Box;
using topo::draw::Drawing;
using topo::draw::Stroke;
using topo::draw::Words;

constexpr double kLeft = 92, kTop = 20, kWidth = 640, kHeight = 260, kSize = 11;

/// log2 of what the axes span, widened to whole steps.
struct Range {
  double low = 0, high = 1;
  double at(double value) const { return (std::log2(value) - low) / (high - low); }
};

Range range_of(const std::vector<double>& values) {
  const auto [low, high] = std::ranges::minmax(values);
  Range range{std::floor(std::log2(low)), std::ceil(std::log2(high))};
  if (range.high - range.low < 1) range.high = range.low + 1;
  return range;
}

/// At most `most` exponents of two, evenly spaced.
std::vector<int> ticks(const Range& range, int most) {
  const int step = std::max(1, static_cast<int>(std::ceil((range.high - range.low) / most)));
  std::vector<int> out;
  for (int i = static_cast<int>(range.low); i <= static_cast<int>(range.high); i += step) {
    out.push_back(i);
  }
  return out;
}

std::string rate_words(double value) {
  const double giga = value / 1e9;
  if (giga >= 1000) return fmt::format("{:.3g} TB/s", giga / 1000);
  if (giga >= 1) return fmt::format("{:.3g} GB/s", giga);
  return value >= 1e6 ? fmt::format("{:.3g} MB/s", value / 1e6)
                      : fmt::format("{:.3g} kB/s", value / 1e3);
}

}  // namespace

Drawing bandwidth_chart(const std::string& title, const std::vector<Series>& series) {
  std::vector<double> sizes, rates;
  for (const Series& one : series) {
    for (const auto& [size, rate] : one.points) {
      if (size <= 0 || !(rate > 0) || !std::isfinite(rate)) continue;
      sizes.push_back(static_cast<double>(size));
      rates.push_back(rate / 1e9);  // round numbers of GB/s on the axis
    }
  }
  Drawing out;
  out.title = title;
  if (sizes.empty()) return out;
  const Range x = range_of(sizes), y = range_of(rates);
  const auto place = [&](double size, double rate) {
    return std::pair(kLeft + kWidth * x.at(size), kTop + kHeight * (1 - y.at(rate / 1e9)));
  };
  out.box({kLeft, kTop, kWidth, kHeight, topo::draw::Tone::numa});
  for (const int exponent : ticks(x, 9)) {
    const double at = kLeft + kWidth * (exponent - x.low) / (x.high - x.low);
    out.line({{{at, kTop + kHeight}, {at, kTop + kHeight + 5}}, Stroke::plain, ""});
    out.words({at, kTop + kHeight + 19, topolaunch::to_text(Bytes(std::int64_t{1} << exponent)),
               kSize, false, Anchor::middle});
  }
  for (const int exponent : ticks(y, 8)) {
    const double at = kTop + kHeight * (1 - (exponent - y.low) / (y.high - y.low));
    out.line({{{kLeft - 5, at}, {kLeft, at}}, Stroke::plain, ""});
    out.words(
        {kLeft - 9, at + 4, rate_words(std::exp2(exponent) * 1e9), kSize, false, Anchor::end});
  }
  double key = kTop + kHeight + 44;
  out.description = title + ".";
  for (const Series& one : series) {
    topo::draw::Line line{{}, one.stroke, one.name};
    std::string said;
    for (const auto& [size, rate] : one.points) {
      if (size <= 0 || !(rate > 0) || !std::isfinite(rate)) continue;
      const auto [px, py] = place(static_cast<double>(size), rate);
      line.points.emplace_back(px, py);
      const std::string value =
          fmt::format("{}: {}", topolaunch::to_text(Bytes(size)), rate_words(rate));
      said += (said.empty() ? " " : ", ") + value;
      if (!one.marks) continue;
      Box mark{px - 3.5, py - 3.5, 7, 7, topo::draw::Tone::gpu};
      mark.name = one.name + ", " + value;
      out.box(mark);
    }
    if (line.points.empty()) continue;
    out.shapes.insert(out.shapes.begin() + 1, line);  // below all marks
    out.description += fmt::format(" {}:{}.", one.name, said);
    out.line({{{kLeft, key - 4}, {kLeft + 44, key - 4}}, one.stroke, ""});
    if (one.marks) out.box({kLeft + 18.5, key - 7.5, 7, 7, topo::draw::Tone::gpu});
    out.words({kLeft + 54, key, topo::draw::fitted(one.name, kWidth - 54, kSize), kSize});
    key += 20;
  }
  out.reach(kLeft + kWidth + 60, key);
  return out;
}

}  // namespace topolaunch::launcher::page
