// SPDX-License-Identifier: Apache-2.0
#include "launcher/report/page/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/units.h"
#include "topo/draw/svg.h"
#include "topo/draw/text_width.h"

namespace topolaunch::launcher::page {
namespace {

using topo::draw::escaped;
using topo::draw::fitted;
using topo::draw::text_width;

constexpr std::size_t kShades = 7, kNumbersUpTo = 16;

double share(double value, double median, bool latency) {
  if (!(value > 0) || !(median > 0)) return 0;
  return latency ? median / value : value / median;
}

}  // namespace

std::string value_words(double value, bool latency) {
  if (!std::isfinite(value)) return "not measured";
  return latency ? topolaunch::to_text(Seconds(value))
                 : topolaunch::to_text(Bandwidth::bytes_per_second(value));
}

double median_of(const Pairs& pairs) {
  std::vector<double> all;
  for (std::size_t i = 0; i < pairs.values.size(); ++i) {
    for (std::size_t k = 0; k < pairs.values[i].size(); ++k) {
      if (i != k && std::isfinite(pairs.values[i][k])) all.push_back(pairs.values[i][k]);
    }
  }
  if (all.empty()) return 0;
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::ranges::nth_element(all, middle);
  return *middle;
}

std::vector<Outlier> outliers(const Pairs& pairs, double least) {
  const double median = median_of(pairs);
  std::vector<Outlier> out;
  for (std::size_t i = 0; i < pairs.values.size(); ++i) {
    for (std::size_t k = 0; k < pairs.values[i].size(); ++k) {
      const double value = pairs.values[i][k];
      if (i == k || !std::isfinite(value)) continue;
      const double ratio = share(value, median, pairs.latency);
      if (ratio < least) out.push_back({i, k, value, ratio});
    }
  }
  std::ranges::stable_sort(out, {}, &Outlier::ratio);
  return out;
}

Pairs by_host(const Pairs& pairs, const std::vector<std::string>& host_of_row) {
  Pairs out;
  out.latency = pairs.latency;
  std::map<std::string, std::size_t> place;
  std::vector<std::size_t> at;
  for (const std::string& host : host_of_row) {
    const auto [found, added] = place.try_emplace(host, out.names.size());
    if (added) out.names.push_back(host);
    at.push_back(found->second);
  }
  out.values.assign(out.names.size(), std::vector<double>(out.names.size(), std::nan("")));
  for (std::size_t i = 0; i < pairs.values.size() && i < at.size(); ++i) {
    for (std::size_t k = 0; k < pairs.values[i].size() && k < at.size(); ++k) {
      const double value = pairs.values[i][k];
      if (i == k || !std::isfinite(value)) continue;
      double& cell = out.values[at[i]][at[k]];
      if (!std::isfinite(cell)) cell = value;
      cell = pairs.latency ? std::max(cell, value) : std::min(cell, value);
    }
  }
  return out;
}

std::string heat_map_svg(const Pairs& pairs, const std::string& title, const std::string& prefix) {
  const std::size_t n = pairs.names.size();
  const bool numbers = n <= kNumbersUpTo;
  const double cell = numbers ? 58 : std::clamp(640.0 / static_cast<double>(n), 9.0, 24.0);
  double left = 30;
  for (const std::string& name : pairs.names) {
    left = std::max(left, std::min(150.0, text_width(name, 11)) + 10);
  }
  // Names of columns stand upright where cells are too narrow for them, every so many of them.
  const auto every = static_cast<std::size_t>(std::ceil(13.0 / cell));
  const bool upright = !numbers || left > cell;
  const double top = upright ? left + 20 : 40;
  const double width = left + cell * static_cast<double>(n) + 20;
  const double height = top + cell * static_cast<double>(n) + 46;
  const double median = median_of(pairs);
  const std::vector<Outlier> odd = outliers(pairs);

  std::array<std::string, kShades> paths;
  std::string words, frames;
  for (std::size_t i = 0; i < n && i < pairs.values.size(); ++i) {
    const double y = top + cell * static_cast<double>(i);
    if (i % every == 0) {
      words +=
          fmt::format("<text class=\"t e\" x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"11\">{}</text>\n",
                      left - 6, y + cell / 2 + 4, escaped(fitted(pairs.names[i], 150, 11)));
      const double x = left + cell * (static_cast<double>(i) + 0.5);
      words += upright ? fmt::format(
                             "<text class=\"t\" font-size=\"11\" transform=\"translate({:.1f} "
                             "{:.1f}) rotate(-90)\">{}</text>\n",
                             x + 4, top - 6, escaped(fitted(pairs.names[i], 150, 11)))
                       : fmt::format(
                             "<text class=\"t m\" x=\"{:.1f}\" y=\"{:.1f}\" "
                             "font-size=\"11\">{}</text>\n",
                             x, top - 8, escaped(fitted(pairs.names[i], cell, 11)));
    }
    for (std::size_t k = 0; k < n && k < pairs.values[i].size(); ++k) {
      const double value = pairs.values[i][k];
      if (!std::isfinite(value)) continue;
      const double x = left + cell * static_cast<double>(k);
      // Half of the median or less is the darkest, the median and more the lightest.
      const double ratio = share(value, median, pairs.latency);
      const auto shade = static_cast<std::size_t>(
          std::clamp(std::lround((1 - ratio) * 2 * (kShades - 1)), 0L, long{kShades - 1}));
      paths[shade] += fmt::format("M{:.5g} {:.5g}h{:.3g}v{:.3g}h-{:.3g}z", x, y, cell, cell, cell);
      if (numbers) {
        // Only as many digits as there is room for; the unit stands below.
        const double scaled = pairs.latency ? value * 1e6 : value / 1e9;
        words += fmt::format(
            "<text class=\"t m c{}\" x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"11\">{:.3g}</text>\n",
            shade >= 4 ? " inv" : "", x + cell / 2, y + cell / 2 + 4, scaled);
      }
    }
  }
  for (const Outlier& one : odd) {
    frames += fmt::format(
        "M{:.5g} {:.5g}h{:.3g}v{:.3g}h-{:.3g}z", left + cell * static_cast<double>(one.column) + 1,
        top + cell * static_cast<double>(one.row) + 1, cell - 2, cell - 2, cell - 2);
  }
  std::string body;
  for (std::size_t i = 0; i < kShades; ++i) {
    if (!paths[i].empty()) body += fmt::format("<path class=\"h{}\" d=\"{}\"/>\n", i, paths[i]);
  }
  if (!frames.empty()) body += fmt::format("<path class=\"odd\" d=\"{}\"/>\n", frames);
  const double key = height - 30;
  for (std::size_t i = 0; i < kShades; ++i) {
    body += fmt::format(
        "<rect class=\"h{} hb\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"18\" height=\"14\"/>\n", i,
        left + 18.0 * static_cast<double>(i), key);
  }
  words += fmt::format("<text class=\"t\" x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"11\">{}</text>\n",
                       left + 18.0 * kShades + 8, key + 11,
                       escaped(fmt::format("median {} to {}; framed: below 3/4 of it{}",
                                           value_words(median, pairs.latency),
                                           pairs.latency ? "twice as long" : "half",
                                           !numbers        ? ""
                                           : pairs.latency ? "; cells in \u00b5s"
                                                           : "; cells in GB/s")));
  const double wide = std::max(width, left + 18.0 * kShades + 420);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"topolaunch heat\" role=\"img\" "
      "aria-labelledby=\"{0}t {0}d\" width=\"{1:.0f}\" height=\"{2:.0f}\" viewBox=\"0 0 {1:.0f} "
      "{2:.0f}\" "
      "data-cell=\"{3:.6g}\" data-left=\"{4:.6g}\" data-top=\"{5:.6g}\">\n"
      "<title id=\"{0}t\">{6}</title>\n<desc id=\"{0}d\">{7}</desc>\n"
      "<rect class=\"paper\" width=\"{1:.0f}\" height=\"{2:.0f}\"/>\n{8}{9}</svg>\n",
      prefix, wide, height, cell, left, top, escaped(title),
      escaped(fmt::format("{} rows and columns, median {}, {} pairs below three quarters of it.", n,
                          value_words(median, pairs.latency), odd.size())),
      body, words);
}

std::string heat_map_style() {
  // Lightness falls evenly; a single hue (blue) is the same ramp to every colour vision.
  constexpr std::array<const char*, kShades> kRamp{"#eff5fb", "#d3e4f3", "#aecde6", "#7fb2d8",
                                                   "#4a8cc0", "#1f6299", "#083a66"};
  std::string css;
  for (std::size_t i = 0; i < kShades; ++i) {
    css += fmt::format(".topolaunch .h{}{{fill:{}}}\n", i, kRamp[i]);
  }
  css +=
      ".topolaunch.heat .c{fill:#111}\n.topolaunch.heat .c.inv{fill:#fff}\n"
      ".topolaunch .odd{fill:none;stroke:#b00020;stroke-width:2}\n"
      ".topolaunch .hb{stroke:#777;stroke-width:.5}\n";
  return css + "@media (prefers-color-scheme:dark){.topolaunch .odd{stroke:#ff8a80}}\n";
}

}  // namespace topolaunch::launcher::page
