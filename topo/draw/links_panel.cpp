// SPDX-License-Identifier: Apache-2.0
#include "topo/draw/links_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "base/counted.h"
#include "topo/draw/group_style.h"
#include "topo/draw/layout.h"
#include "topo/draw/text_width.h"
#include "topo/host_words.h"

namespace topolaunch::topo::draw {
namespace {

constexpr double kChipWidth = 74, kChipHeight = 26, kSize = 11;

void chip(Drawing& sheet, const Host& host, const Gpu& gpu, const RankIndex* ranks, double x,
          double y) {
  Box box{x, y, kChipWidth, kChipHeight, Tone::gpu};
  if (ranks != nullptr) {
    const auto here = ranks->at(host.name, gpu.index);
    if (!here.empty() && !ranks->ranks().dimension.empty()) {
      box.group = here.front()->group;
      box.band = Band::left;
    }
  }
  sheet.box(box);
  const double band = box.band == Band::left ? kBandWidth : 0;
  sheet.words({x + band + (kChipWidth - band) / 2, y + 17, fmt::format("GPU {}", gpu.index), kSize,
               true, Anchor::middle});
  sheet.reach(x + kChipWidth, y + kChipHeight);
}

std::string links_words(const GpuPair& pair) {
  std::string text = counted(pair.count, pair.type == LinkType::xgmi ? "xGMI link" : "NVLink");
  if (pair.rate.known()) text += ", " + to_text(pair.rate);
  return text;
}

/// GPUs in rows around the switch's bar; the number beside each line is its links.
Drawing switched(const Host& host, const RankIndex* ranks, double width) {
  constexpr double kStub = 26;
  const auto in_row =
      static_cast<std::size_t>(std::max(1.0, std::floor((width + kGap) / (kChipWidth + kGap))));
  Drawing out;
  const std::size_t n = host.gpus.size();
  double y = 0;
  for (std::size_t first = 0; first < n; first += in_row) {
    const std::size_t end = std::min(n, first + in_row);
    double x = 0;
    std::string said;  // what each GPU of this row has, where that is the same
    const double bar = y + kChipHeight + kStub;
    for (std::size_t i = first; i < end; ++i, x += kChipWidth + kGap) {
      const Gpu& gpu = host.gpus[i];
      chip(out, host, gpu, ranks, x, y);
      const GpuLink* const up = link_to(gpu, GpuLink::To::nvswitch);
      const double middle = x + kChipWidth / 2;
      const double label = y + kChipHeight + 17;
      if (up == nullptr) {
        out.words({middle, label, "no link", kSize, false, Anchor::middle});
        continue;
      }
      out.line({{{middle, y + kChipHeight}, {middle, bar}},
                Stroke::thick,
                fmt::format("GPU {}: {} NVLinks to the switch", gpu.index, up->count)});
      out.words({middle + 6, label, fmt::format("x{}", up->count), kSize});
      if (said.empty() && up->bandwidth.known()) {
        said = fmt::format("NVSwitch; x{} = {} a GPU, one direction", up->count,
                           to_text(up->bandwidth));
      }
    }
    Box box{0, bar, x - kGap, kChipHeight, Tone::link_switch};
    box.name = said.empty() ? "NVSwitch" : said;
    out.words({10, bar + 17, fitted(box.name, box.width - 20, kSize, true), kSize, true});
    out.shapes.insert(out.shapes.end() - 1, box);
    out.reach(box.width, bar + kChipHeight);
    y = bar + kChipHeight + 2 * kGap;
  }
  return out;
}

/// GPUs on a circle, a chord for each pair with links of its own, a key beside it.
Drawing ring(const Host& host, const RankIndex* ranks) {
  const auto n = static_cast<double>(host.gpus.size());
  const double radius = std::max(70.0, n * (kChipWidth + 12) / (2 * std::numbers::pi));
  const auto at = [&](std::size_t i) {
    const double angle = (static_cast<double>(i) + 0.5) / n * 2 * std::numbers::pi;
    return std::pair(radius + kChipWidth / 2 + radius * std::sin(angle),
                     radius + kChipHeight / 2 - radius * std::cos(angle));
  };
  std::map<std::string, GpuPair> kinds;  // by words
  for (const Gpu& a : host.gpus) {
    for (const Gpu& b : host.gpus) {
      const GpuPair pair = a.index < b.index ? pair_of(a, b) : GpuPair{};
      if (pair.count > 0 && !pair.switched) kinds.emplace(links_words(pair), pair);
    }
  }
  std::vector<std::string> order;  // most links first: the heaviest line
  for (const auto& [words, pair] : kinds) order.push_back(words);
  std::ranges::stable_sort(order, [&](const std::string& a, const std::string& b) {
    return kinds[a].count > kinds[b].count;
  });
  const auto stroke_of = [&](const std::string& words) {
    constexpr std::array<Stroke, 4> kStrokes{Stroke::thick, Stroke::plain, Stroke::dashed,
                                             Stroke::dotted};
    const auto place = static_cast<std::size_t>(std::ranges::find(order, words) - order.begin());
    return kStrokes[std::min(place, kStrokes.size() - 1)];
  };
  Drawing out;
  for (const Gpu& a : host.gpus) {
    for (const Gpu& b : host.gpus) {
      const GpuPair pair = a.index < b.index ? pair_of(a, b) : GpuPair{};
      if (pair.count == 0 || pair.switched) continue;
      const std::string words = links_words(pair);
      out.line({{at(static_cast<std::size_t>(a.index)), at(static_cast<std::size_t>(b.index))},
                stroke_of(words),
                fmt::format("GPU {} to GPU {}: {}", a.index, b.index, words)});
    }
  }
  for (const Gpu& gpu : host.gpus) {
    const auto [x, y] = at(static_cast<std::size_t>(gpu.index));
    chip(out, host, gpu, ranks, x - kChipWidth / 2, y - kChipHeight / 2);
  }
  double y = 20;
  const double x = out.width + 30;
  for (const std::string& words : order) {
    out.line({{{x, y}, {x + 44, y}}, stroke_of(words), ""});
    out.words({x + 54, y + 4, words, kSize});
    out.reach(x + 54 + text_width(words, kSize), y + 12);
    y += 24;
  }
  return out;
}

}  // namespace

Drawing links_panel(const Host& host, const RankIndex* ranks, double width) {
  if (host.gpus.size() < 2) return {};
  bool direct = false, through = false;
  for (const Gpu& gpu : host.gpus) {
    through = through || link_to(gpu, GpuLink::To::nvswitch) != nullptr;
    direct = direct || std::ranges::any_of(gpu.links, [](const GpuLink& link) {
               return link.to == GpuLink::To::gpu && link.count > 0;
             });
  }
  std::vector<Drawing> parts;
  if (through) parts.push_back(switched(host, ranks, width - 20));
  if (direct) parts.push_back(ring(host, ranks));
  if (!through && !direct) {
    parts.push_back(
        line_of_words("no NVLink is known: GPUs reach each other over PCIe", width - 20, kSize));
  }
  for (const std::string& note : link_notes(host)) {
    for (const std::string& line : broken(note, width - 20, kSize)) {
      parts.push_back(line_of_words(line, width - 20, kSize, false, true));
    }
  }
  return framed(stacked(parts), {"Links between the GPUs", {}}, Tone::host,
                "Links between the GPUs", width - 20);
}

}  // namespace topolaunch::topo::draw
