// SPDX-License-Identifier: Apache-2.0
#include "topo/draw/host_tiles.h"

#include <fmt/format.h>

#include "topo/draw/group_style.h"
#include "topo/draw/text_width.h"
#include "topo/host_words.h"

namespace topolaunch::topo::draw {
namespace {

constexpr double kFirst = 13, kOther = 11, kLine = 15, kPadding = 8;

struct Row {
  std::string text;
  bool bold = false, quiet = false;
};

/// A box with lines of words, the first larger.
Drawing tile(Box box, const std::vector<Row>& rows) {
  const double left = kPadding + (box.band == Band::left ? kBandWidth : 0);
  Drawing out;
  double y = kPadding + kFirst - 2;
  box.width = kTile;
  box.height = y + kLine * static_cast<double>(rows.size() - 1) + kPadding;
  out.reach(box.width, box.height);
  out.box(std::move(box));
  bool first = true;
  for (const Row& row : rows) {
    const double size = first ? kFirst : kOther;
    const double room = kTile - left - kPadding / 2;
    out.words({left, y, fitted(row.text, room, size, row.bold), size, row.bold, Anchor::start,
               row.quiet});
    y += kLine;
    first = false;
  }
  return out;
}

/// Colour, pattern and words of the ranks that a box holds.
void mark(Box& box, std::vector<Row>& rows, const RankIndex& index,
          const std::vector<const PlacedRank*>& ranks) {
  rows.push_back({ranks.empty() ? "no rank" : rank_list(ranks), !ranks.empty(), ranks.empty()});
  box.name += ranks.empty() ? ", no rank" : ", " + rank_list(ranks);
  const std::string group = group_list(index.ranks(), ranks);
  if (group.empty()) return;
  rows.push_back({group});
  box.name += ", " + group;
  box.group = ranks.front()->group;
  box.band = Band::left;
}

std::string pcie_words(const Gpu& gpu) {
  if (gpu.pcie_generation <= 0 || gpu.pcie_width <= 0) return {};
  std::string text = fmt::format("PCIe {} x{}", gpu.pcie_generation, gpu.pcie_width);
  if (gpu.pcie_width < gpu.pcie_width_max) text += fmt::format(" of x{}", gpu.pcie_width_max);
  return text;
}

bool alike(const Nic& a, const Nic& b) {
  return a.rate == b.rate && layer_text(a) == layer_text(b) && a.up == b.up;
}

}  // namespace

Drawing gpu_tile(const Host& host, const Gpu& gpu, const RankIndex* ranks) {
  Box box;
  box.tone = Tone::gpu;
  box.name = fmt::format("GPU {}, {}", gpu.index, short_model(gpu));
  std::vector<Row> rows{{fmt::format("GPU {}", gpu.index), true}};
  if (ranks != nullptr) mark(box, rows, *ranks, ranks->at(host.name, gpu.index));
  rows.push_back({short_model(gpu)});
  if (gpu.memory.count() > 0) rows.push_back({to_text(gpu.memory)});
  rows.push_back({gpu.pci ? gpu.pci->text() : "PCI unknown", false, true});
  if (const std::string pcie = pcie_words(gpu); !pcie.empty()) rows.push_back({pcie, false, true});
  if (gpu.mig_enabled || !gpu.mig.empty()) rows.push_back({"MIG " + mig_text(gpu)});
  return tile(std::move(box), rows);
}

std::vector<Drawing> nic_tiles(const std::vector<const Nic*>& nics) {
  constexpr std::size_t kOneByOne = 4;
  std::vector<Drawing> out;
  for (std::size_t i = 0; i < nics.size();) {
    std::size_t end = i + 1;
    while (end < nics.size() && alike(*nics[i], *nics[end])) ++end;
    if (end - i <= kOneByOne) end = i + 1;
    const Nic& nic = *nics[i];
    const bool one = end - i == 1;
    Box box;
    box.tone = Tone::nic;
    box.dashed = !nic.up;
    std::vector<Row> rows{{one ? nic.name : fmt::format("{} NICs", end - i), true}};
    if (!one) rows.push_back({nic.name + " .."}), rows.push_back({".. " + nics[end - 1]->name});
    box.name = (one ? "NIC " : "") + rows.front().text;
    if (nic.rate.known()) {
      rows.push_back({bits_text(nic.rate) + (one ? "" : " each")});
      box.name += ", " + rows.back().text;
    }
    if (const std::string layer = layer_text(nic); !layer.empty()) rows.push_back({layer});
    if (one && nic.pci && nic.pci->text() != nic.name) {
      rows.push_back({nic.pci->text(), false, true});
    }
    out.push_back(tile(std::move(box), rows));
    i = end;
  }
  return out;
}

std::vector<Drawing> rank_tiles(const Host& host, const RankIndex* ranks) {
  std::vector<Drawing> out;
  if (ranks == nullptr) return out;
  for (const PlacedRank* rank : ranks->at(host.name, -1)) {
    Box box;
    box.name = "CPUs";
    std::vector<Row> rows{{"CPUs", true}};
    mark(box, rows, *ranks, {rank});
    out.push_back(tile(std::move(box), rows));
  }
  return out;
}

}  // namespace topolaunch::topo::draw
