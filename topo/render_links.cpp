// SPDX-License-Identifier: Apache-2.0
#include "topo/render_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/counted.h"
#include "topo/host_words.h"
#include "topo/render.h"
#include "topo/topology_words.h"

namespace topolaunch::topo {
namespace {

constexpr std::size_t kWidth = 80;

std::string cell(const Host& host, const Gpu& a, const Gpu& b) {
  if (a.index == b.index) return "X";
  const GpuPair pair = pair_of(a, b);
  if (pair.count > 0) {
    return fmt::format("{}{}", pair.type == LinkType::xgmi ? "XG" : "NV", pair.count);
  }
  return std::string(word(host.relation(a, b)));
}

std::string_view meaning(std::string_view name) {
  if (name == "PIX") return "one PCIe switch";
  if (name == "PXB") return "several PCIe switches";
  if (name == "PHB") return "one PCIe host bridge";
  if (name == "NODE") return "one NUMA node";
  if (name == "SYS") return "between NUMA nodes";
  return "unknown";
}

std::string legend(const Host& host, const std::set<std::string>& words) {
  std::map<std::string, std::string> said;
  for (const Gpu& a : host.gpus) {
    for (const Gpu& b : host.gpus) {
      const GpuPair pair = pair_of(a, b);
      if (a.index == b.index || pair.count == 0) continue;
      const std::string name = cell(host, a, b);
      if (said.contains(name)) continue;
      std::string text = counted(pair.count, pair.type == LinkType::xgmi ? "xGMI link" : "NVLink");
      if (pair.rate.known()) text += ", " + to_text(pair.rate);
      if (pair.switched) text += " through NVSwitch";
      said[name] = text;
    }
  }
  std::string text;
  for (const auto& name : words) {
    if (name == "X") continue;
    const auto link = said.find(name);
    text += fmt::format("{}{} = {}", text.empty() ? "" : "; ", name,
                        link == said.end() ? std::string(meaning(name)) : link->second);
  }
  return text;
}

}  // namespace

std::string link_matrix(const Host& host) {
  if (host.gpus.size() > 64) return "  GPU links: too many GPUs for a matrix\n";
  std::set<std::string> words;
  for (const Gpu& a : host.gpus) {
    for (const Gpu& b : host.gpus) {
      if (a.index != b.index) words.insert(cell(host, a, b));
    }
  }
  const std::string explained = legend(host, words);
  if (words.size() == 1) {
    return wrapped(fmt::format("GPU links, every pair: {}", explained), 4, 2);
  }
  constexpr std::size_t kColumn = 6;
  constexpr std::size_t kPerLine = (kWidth - 8) / kColumn;
  std::string text = "  GPU links\n";
  for (std::size_t first = 0; first < host.gpus.size(); first += kPerLine) {
    const std::size_t end = std::min(host.gpus.size(), first + kPerLine);
    std::string head(8, ' ');
    for (std::size_t b = first; b < end; ++b) head += fmt::format("{:>6}", fmt::format("gpu{}", b));
    text += head + "\n";
    for (const Gpu& a : host.gpus) {
      text += fmt::format("    {:<5}", fmt::format("gpu{}", a.index)).substr(0, 9);
      std::string cells;
      for (std::size_t b = first; b < end; ++b) {
        cells += fmt::format("{:>6}", cell(host, a, host.gpus[b]));
      }
      text += cells.substr(1) + "\n";
    }
  }
  return text + wrapped(explained, 4, 4);
}

}  // namespace topolaunch::topo
