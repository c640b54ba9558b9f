// SPDX-License-Identifier: Apache-2.0
#include "topo/ib_faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/counted.h"

namespace topolaunch::topo {
namespace {

using Severity = Warning::Severity;

std::size_t ix(int i) { return static_cast<std::size_t>(i); }

template <class Key>
Key most_common(const std::map<Key, int>& counts) {
  return std::max_element(counts.begin(), counts.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

class Faults {
 public:
  Faults(const IbGraph& graph, const IbLayers& layers, const std::string& file)
      : graph_(graph), layers_(layers), file_(file) {}

  std::vector<Warning> run(const std::vector<const IbHost*>& torn) {
    partial();
    trunks();
    slow_links();
    names(torn);
    return std::move(found_);
  }

 private:
  void say(std::string code, Severity severity, int line, std::string message) {
    constexpr int kMost = 8;  // of a kind; a broken fabric has hundreds
    const int nth = ++count_[code];
    if (nth <= kMost) {
      found_.push_back({std::move(code), severity, file_, line, std::move(message)});
    } else if (nth == kMost + 1) {
      found_.push_back({std::move(code), severity, file_, 0, "there are more of this kind"});
    }
  }
  const std::string& name(int node) const { return layers_.name[ix(node)]; }
  int level(int node) const { return layers_.level[ix(node)]; }

  void partial() {
    int without = 0;
    for (const auto& node : graph_.nodes) without += node.line == 0 && !node.aggregation ? 1 : 0;
    if (graph_.cut || without > 0) {
      say("ib-partial", Severity::warning, 0,
          fmt::format("the dump is cut off: {} known from the neighbours alone",
                      counted(without, "node")));
    }
    if (graph_.strange > 0) {
      say("ib-strange-line", Severity::warning, graph_.first_strange,
          counted(graph_.strange, "line") + " can't be read");
    }
    int off = 0;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      off += graph_.nodes[i].kind == IbNode::Kind::fabric_switch && layers_.level[i] < 0 ? 1 : 0;
    }
    if (off > 0) {
      say("ib-cut-off", Severity::note, 0,
          off == 1 ? "1 switch reaches no host" : fmt::format("{} switches reach no host", off));
    }
  }

  /// Links of each pair of neighbours, the lower one first.
  void trunks() {
    std::map<std::pair<int, int>, std::vector<const IbLink*>> between;
    for (const auto& link : graph_.links) {
      const int a = level(link.a), b = level(link.b);
      if (a < 0 || b < 0 || a == b) continue;
      between[a < b ? std::pair{link.a, link.b} : std::pair{link.b, link.a}].push_back(&link);
    }
    std::map<int, std::map<std::size_t, int>> counts;  // by the lower one's level
    std::map<int, std::set<int>> lower;                // by the upper one
    std::map<int, std::set<int>> lower_of_level;
    for (const auto& [pair, links] : between) {
      ++counts[level(pair.first)][links.size()];
      lower[pair.second].insert(pair.first);
      lower_of_level[level(pair.first)].insert(pair.first);
    }
    for (const auto& [pair, links] : between) {
      const std::size_t usual = most_common(counts[level(pair.first)]);
      if (links.size() >= usual) continue;
      say("ib-trunk-missing", Severity::warning, links.front()->line,
          fmt::format("{} has {} of {} links to {}{}", name(pair.first), links.size(), usual,
                      name(pair.second), free_ports(pair.first, pair.second, between)));
    }
    // A neighbour that is missing altogether: nearly all others of the level have it.
    for (const auto& [upper, have] : lower) {
      const auto& all = lower_of_level[level(*have.begin())];
      if (have.size() == all.size() || have.size() * 4 < all.size() * 3 || all.size() < 3) continue;
      for (const int box : all) {
        if (have.contains(box) || level(box) != level(*have.begin())) continue;
        say("ib-trunk-missing", Severity::warning, graph_.nodes[ix(box)].line,
            fmt::format("{} has no link to {}, which {} of its {} neighbours have", name(box),
                        name(upper), have.size(), all.size() - 1));
      }
    }
  }

  /// " (port 5 has none)": ports that others of the level use for `upper`, and this one not at all.
  std::string free_ports(
      int box, int upper,
      const std::map<std::pair<int, int>, std::vector<const IbLink*>>& between) const {
    std::map<int, int> used;
    int others = 0;
    for (const auto& [pair, links] : between) {
      if (pair.second != upper || pair.first == box || level(pair.first) != level(box)) continue;
      ++others;
      for (const IbLink* link : links) ++used[link->a == pair.first ? link->port_a : link->port_b];
    }
    std::set<int> own;
    for (const auto& link : graph_.links) {
      if (link.a == box) own.insert(link.port_a);
      if (link.b == box) own.insert(link.port_b);
    }
    std::string text;
    for (const auto& [port, times] : used) {
      if (2 * times <= others || own.contains(port)) continue;
      text += fmt::format("{}{}", text.empty() ? " (port " : ", ", port);
    }
    return text.empty() ? text : text + " has none)";
  }

  void slow_links() {
    // Trunks against trunks of the same pair of levels; hosts against those of the same leaf.
    std::map<std::pair<int, int>, std::map<double, int>> rates;
    const auto kind_of = [this](const IbLink& link) {
      const int a = level(link.a), b = level(link.b);
      if (a >= 0 && b >= 0) return std::pair{std::min(a, b), -1 - std::max(a, b)};
      return std::pair{a >= 0 ? link.a : link.b, 0};
    };
    const auto counts = [this](const IbLink& link) {
      return link.rate.known() && (level(link.a) >= 0 || level(link.b) >= 0) &&
             !graph_.nodes[ix(link.a)].aggregation && !graph_.nodes[ix(link.b)].aggregation;
    };
    for (const auto& link : graph_.links) {
      if (counts(link)) ++rates[kind_of(link)][link.rate.bytes_per_second()];
    }
    for (const auto& link : graph_.links) {
      if (!counts(link)) continue;
      const double usual = most_common(rates[kind_of(link)]);
      const bool trunk = level(link.a) >= 0 && level(link.b) >= 0;
      // An older adapter is slower by right, but not narrower.
      if (link.rate.bytes_per_second() >= usual || (!trunk && link.width >= 4)) continue;
      say("ib-link-slow", Severity::warning, link.line,
          fmt::format("{} port {} to {} port {} runs at {}x{}, others like it at {}",
                      end_name(link.a), link.port_a, end_name(link.b), link.port_b, link.width,
                      link.speed, to_text(Bandwidth::bytes_per_second(usual))));
    }
  }
  std::string end_name(int node) const {
    return name(node).empty() ? graph_.nodes[ix(node)].words : name(node);
  }

  void names(const std::vector<const IbHost*>& torn) {
    const IbHost* first = nullptr;
    int unnamed = 0;
    for (const auto& host : layers_.hosts) {
      if (host.named) continue;
      if (unnamed++ == 0) first = &host;
    }
    if (unnamed > 0) {
      say("ib-host-unnamed", Severity::note, first->line,
          fmt::format("{} adapter{} carr{} no host's name and stand{} as {}{}", unnamed,
                      unnamed == 1 ? "" : "s", unnamed == 1 ? "ies" : "y", unnamed == 1 ? "s" : "",
                      first->name, unnamed == 1 ? "" : ", ..."));
    }
    for (const IbHost* host : torn) {
      say("ib-host-several-leaves", Severity::note, host->line,
          fmt::format("{} has ports on several leaves; the one with most of them is used",
                      host->name));
    }
  }

  const IbGraph& graph_;
  const IbLayers& layers_;
  const std::string& file_;
  std::vector<Warning> found_;
  std::map<std::string, int> count_;
};

}  // namespace

std::vector<Warning> ib_faults(const IbGraph& graph, const IbLayers& layers,
                               const std::vector<const IbHost*>& torn, const std::string& file) {
  return Faults(graph, layers, file).run(torn);
}

}  // namespace topolaunch::topo
