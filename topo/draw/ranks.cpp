// SPDX-License-Identifier: Apache-2.0
#include "topo/draw/ranks.h"

#include <fmt/format.h>

#include <algorithm>

#include "topo/draw/group_style.h"
#include "topo/draw/text_width.h"
#include "topo/host_words.h"

namespace topolaunch::topo::draw {
namespace {

/// Most groups that get a swatch; beyond that the boxes' own words have to do.
constexpr std::size_t kMostSwatches = 24;

/// "0-3,8"
std::string number_list(std::vector<int> numbers) {
  std::ranges::sort(numbers);
  std::string out;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] <= numbers[end - 1] + 1) ++end;
    out += fmt::format("{}{}", out.empty() ? "" : ",", numbers[i]);
    if (numbers[end - 1] > numbers[i]) out += fmt::format("-{}", numbers[end - 1]);
    i = end;
  }
  return out;
}

}  // namespace

RankIndex::RankIndex(const Ranks& ranks) : ranks_(ranks) {
  for (const PlacedRank& one : ranks.placed) by_host_[one.host].push_back(&one);
}

std::vector<const PlacedRank*> RankIndex::on(const std::string& host) const {
  const auto found = by_host_.find(host);
  return found == by_host_.end() ? std::vector<const PlacedRank*>{} : found->second;
}

std::vector<const PlacedRank*> RankIndex::at(const std::string& host, int gpu) const {
  std::vector<const PlacedRank*> out = on(host);
  std::erase_if(out, [gpu](const PlacedRank* one) { return one->gpu != gpu; });
  return out;
}

std::string rank_list(const std::vector<const PlacedRank*>& ranks) {
  if (ranks.empty()) return {};
  std::vector<int> numbers;
  for (const PlacedRank* one : ranks) numbers.push_back(one->rank);
  return (ranks.size() == 1 ? "rank " : "ranks ") + number_list(std::move(numbers));
}

std::string group_list(const Ranks& all, const std::vector<const PlacedRank*>& ranks) {
  if (ranks.empty() || all.dimension.empty()) return {};
  std::vector<int> numbers;
  for (const PlacedRank* one : ranks) numbers.push_back(one->group);
  const auto [low, high] = std::ranges::minmax(numbers);
  if (low == high) return all.groups[static_cast<std::size_t>(low)];
  return all.dimension + " " + number_list(std::move(numbers));
}

double legend(Drawing& sheet, const Ranks& ranks, double x, double y, double width) {
  const bool coloured = std::ranges::any_of(sheet.shapes, [](const Shape& shape) {
    const auto* const box = std::get_if<Box>(&shape);
    return box != nullptr && box->group >= 0;
  });
  if (!coloured) return y;
  constexpr double kSize = 11, kRow = 22, kSwatch = 26;
  sheet.words({x, y + 12,
               fitted(counted(ranks.groups.size(), "group", "groups") + " of " + ranks.dimension +
                          ", told apart by colour and pattern",
                      width, kSize, true),
               kSize, true});
  y += kRow;
  std::vector<std::vector<const PlacedRank*>> members(ranks.groups.size());
  for (const PlacedRank& one : ranks.placed) {
    members[static_cast<std::size_t>(one.group)].push_back(&one);
  }
  std::vector<std::string> texts;
  double column = 0;
  const std::size_t shown = std::min(ranks.groups.size(), kMostSwatches);
  for (std::size_t i = 0; i < shown; ++i) {
    texts.push_back(fitted(ranks.groups[i] + ": " + rank_list(members[i]), 250, kSize));
    column = std::max(column, text_width(texts.back(), kSize));
  }
  column += kSwatch + 24;
  const auto columns = std::max(std::size_t{1}, static_cast<std::size_t>(width / column));
  for (std::size_t i = 0; i < shown; ++i) {
    const double left = x + column * static_cast<double>(i % columns);
    const double top = y + kRow * static_cast<double>(i / columns);
    Box swatch{left, top, kSwatch - 8, 16, Tone::plain};
    swatch.group = static_cast<int>(i);
    swatch.band = Band::left;
    sheet.box(swatch);
    sheet.words({left + kSwatch, top + 12, texts[i], kSize});
    sheet.reach(left + column, top + kRow);
  }
  y += kRow * static_cast<double>((shown + columns - 1) / columns);
  if (shown < ranks.groups.size()) {
    sheet.words({x, y + 12, fmt::format("and {} more", ranks.groups.size() - shown), kSize, false,
                 Anchor::start, true});
    y += kRow;
  }
  sheet.reach(x, y);
  return y;
}

}  // namespace topolaunch::topo::draw
