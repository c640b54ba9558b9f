// SPDX-License-Identifier: Apache-2.0
#include "topo/render_network.h"

#include <fmt/format.h>

#include <algorithm>

#include "topo/fabric_view.h"
#include "topo/host_list.h"
#include "topo/host_words.h"

namespace topolaunch::topo {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kMostChildren = 12;  ///< switches below one that are listed one by one

class Network {
 public:
  explicit Network(const Topology& topology)
      : topology_(topology), fabric_(topology.fabric), view_(topology) {}

  std::string text() const {
    std::string out = "network: " + levels() + "\n";
    for (const auto root : limited(view_.roots())) out += branch(root, 2);
    out += more(view_.roots(), 2);
    const std::size_t lost = view_.unplaced().size();
    if (lost > 0) out += fmt::format("  {} of unknown place\n", counted(lost, "host", "hosts"));
    return out;
  }

 private:
  std::string levels() const {
    std::vector<std::size_t> count;
    for (const auto& box : fabric_.switches) {
      const auto level = static_cast<std::size_t>(std::max(0, box.level));
      if (count.size() <= level) count.resize(level + 1, 0);
      ++count[level];
    }
    std::string out = counted(topology_.hosts.size(), "host", "hosts");
    for (std::size_t i = 0; i < count.size(); ++i) {
      if (count[i] == 0) continue;
      out += (i == 0 ? " on " : ", ") + view_.counted_level(count[i], static_cast<int>(i));
    }
    return out;
  }

  static std::vector<std::size_t> limited(const std::vector<std::size_t>& list) {
    if (list.size() <= kMostChildren) return list;
    return {list.begin(), list.begin() + kMostChildren / 2};
  }
  static std::string more(const std::vector<std::size_t>& list, std::size_t indent) {
    if (list.size() <= kMostChildren) return {};
    return fmt::format("{:{}}... and {} more\n", "", indent, list.size() - kMostChildren / 2);
  }

  // Depth is bounded: a parent's level is above its child's, and levels end at 64 plus the number
  // of names in a file; the walk stops at an indent that leaves no room anyway.
  std::string branch(std::size_t box, std::size_t indent) const {
    const Switch& here = fabric_.switches[box];
    std::string line = fmt::format("{:{}}{}", "", indent, here.name);
    if (here.uplink.known()) {
      line += fmt::format("   {} up", to_text(here.uplink));
      const std::string ratio = view_.oversubscription(box);
      if (!ratio.empty()) line += fmt::format(" ({})", ratio);
    }
    if (!view_.hosts(box).empty()) {
      std::vector<std::string> names;
      for (const auto host : view_.hosts(box)) names.push_back(topology_.hosts[host].name);
      line += "   ";
      line += cut_host_list(names, line.size() + 10 < kWidth ? kWidth - line.size() : 10);
    }
    line += "\n";
    if (indent > 40) return line;
    for (const auto child : limited(view_.children(box))) line += branch(child, indent + 2);
    return line + more(view_.children(box), indent + 2);
  }

  const Topology& topology_;
  const Fabric& fabric_;
  FabricView view_;
};

}  // namespace

std::string cut_host_list(const std::vector<std::string>& names, std::size_t width) {
  std::string text = compress_host_list(names);
  if (text.size() > width && width > 3) text = text.substr(0, width - 3) + "...";
  return text;
}

std::string network_text(const Topology& topology) { return Network(topology).text(); }

}  // namespace topolaunch::topo
