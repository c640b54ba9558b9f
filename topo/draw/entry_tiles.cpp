// SPDX-License-Identifier: Apache-2.0
#include "topo/draw/entry_tiles.h"

#include <fmt/format.h>

#include <algorithm>

#include "topo/draw/group_style.h"
#include "topo/draw/layout.h"
#include "topo/draw/text_width.h"
#include "topo/host_list.h"
#include "topo/host_words.h"

namespace topolaunch::topo::draw {
namespace {

constexpr double kWords = 240;  ///< words of a tile are cut beyond

/// A cell a rank, in the order of the GPUs they sit on.
Drawing cells(const RankIndex& index, std::vector<const PlacedRank*> ranks, std::size_t in_row) {
  std::ranges::stable_sort(ranks, {}, &PlacedRank::gpu);
  double widest = 22;
  for (const PlacedRank* one : ranks) {
    widest = std::max(widest, text_width(std::to_string(one->rank), 11, true) + 8);
  }
  constexpr double kHeight = 24, kBetween = 3;
  Drawing out;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const PlacedRank& rank = *ranks[i];
    Box box{(widest + kBetween) * static_cast<double>(i % in_row),
            (kHeight + kBetween) * static_cast<double>(i / in_row), widest, kHeight, Tone::gpu};
    if (!index.ranks().dimension.empty()) {
      box.group = rank.group;
      box.band = Band::top;
    }
    box.name = fmt::format("rank {}", rank.rank);
    if (rank.gpu >= 0) box.name += fmt::format(" on GPU {}", rank.gpu);
    if (box.group >= 0)
      box.name += ", " + index.ranks().groups[static_cast<std::size_t>(box.group)];
    out.reach(box.x + box.width, box.y + box.height);
    const double x = box.x + widest / 2, y = box.y + 19;
    out.box(std::move(box));
    out.words({x, y, std::to_string(rank.rank), 11, true, Anchor::middle});
  }
  return out;
}

/// Two more edges behind a box say that it stands for many.
Drawing piled(const Drawing& tile) {
  constexpr double kStep = 4;
  Drawing out;
  const auto& front = std::get<Box>(tile.shapes.front());
  for (const double by : {2 * kStep, kStep}) {
    Box behind{by, 2 * kStep - by, front.width, front.height, front.tone};
    out.box(behind);
  }
  out.place(tile, 0, 2 * kStep);
  out.reach(front.width + 2 * kStep, front.height + 2 * kStep);
  return out;
}

std::vector<std::string> names_of(const TileContext& context,
                                  const std::vector<std::size_t>& hosts) {
  std::vector<std::string> names;
  for (const std::size_t host : hosts) names.push_back(context.topology.hosts[host].name);
  return names;
}

/// "ranks 0-255" and "tp 0-31" of all these hosts.
void add_rank_lines(const TileContext& context, const std::vector<std::size_t>& hosts,
                    std::vector<std::string>& lines) {
  if (context.ranks == nullptr) return;
  std::vector<const PlacedRank*> all;
  for (const std::size_t host : hosts) {
    const auto here = context.ranks->on(context.topology.hosts[host].name);
    all.insert(all.end(), here.begin(), here.end());
  }
  lines.push_back(all.empty() ? "no rank" : rank_list(all));
  if (const auto groups = group_list(context.ranks->ranks(), all); !groups.empty()) {
    lines.push_back(groups);
  }
}

std::string spoken(const Heading& heading) {
  std::string text = heading.first;
  for (const std::string& line : heading.others) text += ", " + line;
  return text;
}

}  // namespace

Drawing host_tile(const TileContext& context, const HostEntry& entry) {
  const Host& host = context.topology.hosts[entry.hosts.front()];
  Heading heading;
  if (entry.hosts.size() > 1) {
    const std::string hosts = counted(entry.hosts.size(), "host", "hosts");
    // "32 hosts x 8 H100": what a reader counts in. Several models: "32 hosts", then the models.
    std::string kind = host_kind(host);
    const bool one_model = kind.find(',') == std::string::npos;
    if (const auto at = kind.find(" x "); at != std::string::npos && one_model) kind.erase(at, 2);
    if (!entry.alike) {
      heading.first = hosts + " of several kinds";
    } else if (host.gpus.empty() || !one_model) {
      heading = {hosts, {kind}};
    } else {
      heading.first = hosts + " x " + kind;
    }
    if (entry.example) {
      heading.others.emplace_back("below each of them");
    } else {
      heading.others.push_back(compress_host_list(names_of(context, entry.hosts)));
    }
    if (entry.alike && !network_kind(host).empty()) {
      heading.others.push_back(network_kind(host) + " each");
    }
    if (!entry.example) add_rank_lines(context, entry.hosts, heading.others);
    return piled(framed({}, heading, Tone::host, spoken(heading), kWords));
  }
  heading.first = host.name;
  heading.others.push_back(host_kind(host));
  if (const auto network = network_kind(host); !network.empty()) heading.others.push_back(network);
  if (context.ranks == nullptr) {
    return framed({}, heading, Tone::host, spoken(heading), kWords);
  }
  const auto here = context.ranks->on(host.name);
  heading.others.clear();
  if (here.empty()) {
    heading.others.emplace_back("no rank");
    return framed({}, heading, Tone::host, spoken(heading), kWords);
  }
  heading.others.push_back(group_list(context.ranks->ranks(), here));
  if (heading.others.front().empty()) heading.others.front() = host_kind(host);
  return framed(cells(*context.ranks, here, context.cells_per_row), heading, Tone::host,
                spoken(heading), kWords);
}

Drawing switch_tile(const TileContext& context, const SwitchEntry& entry, double width) {
  const Fabric& fabric = context.topology.fabric;
  const std::size_t box = entry.switches.front();
  const Switch& first = fabric.switches[box];
  const bool one = entry.switches.size() == 1;
  Heading heading;
  if (one) {
    heading.first = first.name;
    const std::string level = context.view.level_name(first.level);
    if (first.name.find(level) == std::string::npos) heading.others.push_back(level);
  } else {
    heading.first = context.view.counted_level(entry.switches.size(), first.level) +
                    (entry.alike ? " alike" : " of several kinds");
    std::vector<std::string> names;
    for (const std::size_t other : entry.switches) names.push_back(fabric.switches[other].name);
    heading.others.push_back(entry.example ? "below each of them" : compress_host_list(names));
  }
  if (entry.alike && first.uplink.known()) {
    const std::string ratio = context.view.oversubscription(box);
    heading.others.push_back(bits_text(first.uplink) + " up" + (ratio.empty() ? "" : ", " + ratio));
  }
  std::vector<std::size_t> hosts;
  for (const std::size_t other : entry.switches) {
    const auto below = context.view.hosts_below(other);
    hosts.insert(hosts.end(), below.begin(), below.end());
  }
  if (!one || !entry.below.empty()) {
    const std::size_t n = entry.alike ? hosts.size() / entry.switches.size() : hosts.size();
    heading.others.push_back(counted(n, "host", "hosts") + (one || !entry.alike ? "" : " each"));
  }
  if (!one && !entry.example) add_rank_lines(context, hosts, heading.others);
  const Drawing tile = framed({}, heading, entry.below.empty() ? Tone::leaf : Tone::spine,
                              spoken(heading), std::min(kWords, width - 30));
  return one ? tile : piled(tile);
}

}  // namespace topolaunch::topo::draw
