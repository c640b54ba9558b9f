// SPDX-License-Identifier: Apache-2.0
#include "topo/draw/cluster_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "topo/draw/entry_tiles.h"
#include "topo/draw/layout.h"
#include "topo/draw/text_width.h"
#include "topo/host_words.h"

namespace topolaunch::topo::draw {
namespace {

constexpr double kSheet = 1280, kMargin = 16, kDrop = 30, kBetween = 16;

class ClusterSheet {
 public:
  ClusterSheet(const Topology& topology, const RankIndex* ranks)
      : topology_(topology),
        view_(topology),
        context_{topology, view_, ranks},
        tree_(fabric_tree(topology)) {
    if (bottoms() > 4)
      context_.cells_per_row = 4;  // eight cells of eight leaves: wider than a page
  }

  Drawing drawn() const {
    Drawing out;
    out.title = title();
    std::vector<Drawing> parts{line_of_words(out.title, kSheet, 18, true)};
    for (const std::string& line : broken(network_words(), kSheet, 12)) {
      parts.push_back(line_of_words(line, kSheet, 12, false, true));
    }
    std::vector<Drawing> trees;
    for (const SwitchEntry& root : tree_.roots) trees.push_back(branch(root).drawing);
    parts.push_back(flow(std::move(trees), kSheet, 2 * kBetween));
    parts.push_back(unplaced());
    out.place(stacked(parts, 12), kMargin, kMargin);
    if (context_.ranks != nullptr) {
      legend(out, context_.ranks->ranks(), kMargin, out.height + 14,
             std::max(out.width - kMargin, 500.0));
    }
    out.reach(out.width + kMargin, out.height + kMargin);
    out.description = description();
    return out;
  }

 private:
  /// A subtree, and where on its upper edge a line from above arrives.
  struct Branch {
    Drawing drawing;
    double inlet = 0;
  };

  std::string title() const {
    const std::size_t n = topology_.hosts.size();
    std::string text = counted(n, "host", "hosts");
    const std::string kind = n == 0 ? "" : host_kind(topology_.hosts.front());
    const bool same = std::ranges::all_of(
        topology_.hosts, [&](const Host& host) { return host_kind(host) == kind; });
    return n == 0 ? "No host" : text + (same ? ", each " + kind : " of several kinds");
  }

  std::string network_words() const {
    std::map<int, std::size_t> count;
    for (const Switch& box : topology_.fabric.switches) ++count[box.level];
    std::string text;
    for (const auto& [level, n] : count) {
      if (text.size() < 400) text += (text.empty() ? "" : ", ") + view_.counted_level(n, level);
    }
    if (text.empty()) return "the network between them is not known";
    if (!view_.unplaced().empty()) {
      text += fmt::format("; the place of {} is not known",
                          counted(view_.unplaced().size(), "host", "hosts"));
    }
    return text;
  }

  std::string description() const {
    std::string text = network_words() + ".";
    if (context_.ranks == nullptr) return text;
    const Ranks& ranks = context_.ranks->ranks();
    text += " " + counted(ranks.placed.size(), "rank", "ranks");
    if (!ranks.dimension.empty()) text += ", coloured by " + ranks.dimension;
    return text + ".";
  }

  /// Single hosts get one width; a pile keeps its edges.
  static void widen(Drawing& tile, double width) {
    auto& frame = std::get<Box>(tile.shapes.front());
    if (frame.width == tile.width) frame.width = tile.width = width;
  }

  Drawing hosts(const std::vector<HostEntry>& entries, double room) const {
    std::vector<Drawing> tiles;
    double widest = 0;
    for (const HostEntry& entry : entries) {
      tiles.push_back(host_tile(context_, entry));
      widest = std::max(widest, tiles.back().width);
    }
    for (Drawing& tile : tiles) widen(tile, widest);
    // About as many columns as rows, as far as there is room.
    const double square = std::ceil(std::sqrt(static_cast<double>(tiles.size()) / 2));
    return flow(std::move(tiles), std::max(widest, std::min(room, square * (widest + kGap))));
  }

  Branch branch(const SwitchEntry& entry) const {
    std::vector<Branch> below;
    for (const SwitchEntry& child : entry.below) below.push_back(branch(child));
    if (!entry.hosts.empty()) {
      const auto columns = static_cast<double>(std::max(std::size_t{1}, bottoms()));
      const Drawing tiles = hosts(entry.hosts, kSheet / columns - 40);
      Drawing frame = framed(tiles, {}, Tone::plain, "", kSheet);
      const double inlet = frame.width / 2;
      below.push_back({std::move(frame), inlet});
    }
    return joined(entry, below);
  }

  /// The switch above what hangs below it, with lines.
  Branch joined(const SwitchEntry& entry, const std::vector<Branch>& below) const {
    double row = 0;
    for (const Branch& child : below) row += child.drawing.width + (row > 0 ? kBetween : 0);
    const Drawing box = switch_tile(context_, entry, kSheet);
    const double width = std::max(row, box.width);
    Branch out;
    const double top = box.height + kDrop;
    double left = (width - row) / 2;
    const double first = below.empty() ? 0 : left + below.front().inlet;
    double last = first;
    for (const Branch& child : below) {
      out.drawing.place(child.drawing, left, top);
      last = left + child.inlet;
      left += child.drawing.width + kBetween;
    }
    // In the middle between the outermost lines, as far as the sheet goes.
    const double middle = std::clamp((first + last) / 2, box.width / 2, width - box.width / 2);
    left = (width - row) / 2;
    for (const Branch& child : below) {
      const double inlet = left + child.inlet;
      out.drawing.line({{{middle, box.height},
                         {middle, box.height + kDrop / 2},
                         {inlet, box.height + kDrop / 2},
                         {inlet, top}},
                        Stroke::plain,
                        ""});
      left += child.drawing.width + kBetween;
    }
    out.drawing.place(box, middle - box.width / 2, 0);
    out.drawing.reach(width, box.height);
    out.inlet = middle;
    return out;
  }

  std::size_t bottoms() const {
    std::size_t n = 0;
    std::vector<const SwitchEntry*> open;
    for (const SwitchEntry& root : tree_.roots) open.push_back(&root);
    while (!open.empty()) {
      const SwitchEntry* const at = open.back();
      open.pop_back();
      if (at->below.empty()) ++n;
      for (const SwitchEntry& child : at->below) open.push_back(&child);
    }
    return n;
  }

  Drawing unplaced() const {
    if (tree_.unplaced.empty()) return {};
    const Drawing tiles = hosts(tree_.unplaced, kSheet);
    if (tree_.roots.empty()) return tiles;
    return framed(tiles, {"Place not known", {}}, Tone::lost, "Hosts whose place is not known",
                  kSheet, true);
  }

  const Topology& topology_;
  FabricView view_;
  TileContext context_;
  FabricTree tree_;
};

}  // namespace

Drawing cluster_sheet(const Topology& topology, const Ranks* ranks) {
  if (ranks == nullptr || ranks->empty()) return ClusterSheet(topology, nullptr).drawn();
  const RankIndex index(*ranks);
  return ClusterSheet(topology, &index).drawn();
}

}  // namespace topolaunch::topo::draw
