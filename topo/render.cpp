// SPDX-License-Identifier: Apache-2.0
#include "topo/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "topo/host_list.h"
#include "topo/topology_words.h"

namespace topolaunch::topo {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kMostChildren = 12;  ///< switches below one that are listed one by one

std::string counted(std::size_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

/// "host[0-15]", cut to the width.
std::string names_text(const std::vector<std::string>& names, std::size_t width) {
  std::string text = compress_host_list(names);
  if (text.size() > width && width > 3) text = text.substr(0, width - 3) + "...";
  return text;
}

std::string hosts_text(const Topology& topology) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;  // text, names
  std::unordered_map<std::string, std::size_t> index;
  for (const Host& host : topology.hosts) {
    std::string body = render_host(host);
    const auto [at, added] = index.try_emplace(body, groups.size());
    if (added) groups.emplace_back(std::move(body), std::vector<std::string>());
    groups[at->second].second.push_back(host.name);
  }
  std::string text;
  for (const auto& [body, names] : groups) {
    if (!text.empty()) text += "\n";
    if (names.size() == 1) {
      text += names.front() + "\n" + body;
    } else {
      const std::string tail = fmt::format(": {} hosts, all like this", names.size());
      text += names_text(names, kWidth - tail.size()) + tail + "\n" + body;
    }
  }
  return text;
}

class Network {
 public:
  explicit Network(const Topology& topology) : topology_(topology), fabric_(topology.fabric) {
    children_.resize(fabric_.switches.size());
    hosts_.resize(fabric_.switches.size());
    for (std::size_t i = 0; i < fabric_.switches.size(); ++i) {
      const int parent = fabric_.switches[i].parent;
      (parent < 0 ? roots_ : children_[static_cast<std::size_t>(parent)]).push_back(i);
    }
    for (std::size_t i = 0; i < fabric_.leaf_of_host.size(); ++i) {
      const int leaf = fabric_.leaf_of_host[i];
      if (leaf >= 0) hosts_[static_cast<std::size_t>(leaf)].push_back(i);
    }
  }

  std::string text() const {
    std::string out = "network: " + levels() + "\n";
    for (const auto root : limited(roots_)) out += branch(root, 2);
    out += more(roots_, 2);
    const auto lost = static_cast<std::size_t>(std::count(fabric_.leaf_of_host.begin(),
                                                          fabric_.leaf_of_host.end(), -1));
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
      const std::string name =
          i < fabric_.level_names.size() ? fabric_.level_names[i] : fmt::format("level{}", i);
      const std::string many = name == "leaf" ? "leaves" : name + "s";
      out += (i == 0 ? " on " : ", ") + counted(count[i], name, many);
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

  /// What all hosts below can send, where every NIC's rate is known.
  Bandwidth host_rates(std::size_t box) const {
    double sum = 0;
    for (const auto host : hosts_[box]) {
      double rate = 0;
      for (const auto& nic : topology_.hosts[host].nics) {
        if (nic.up) rate += nic.rate.bytes_per_second();
      }
      sum += rate > 0 ? rate : fabric_.host_rate.bytes_per_second();
    }
    for (const auto child : children_[box]) {
      sum += fabric_.switches[child].uplink.bytes_per_second();
    }
    return Bandwidth::bytes_per_second(sum);
  }

  // Depth is bounded: a parent's level is above its child's, and levels end at 64 plus the number
  // of names in a file; the walk stops at an indent that leaves no room anyway.
  std::string branch(std::size_t box, std::size_t indent) const {
    const Switch& here = fabric_.switches[box];
    std::string line = fmt::format("{:{}}{}", "", indent, here.name);
    if (here.uplink.known()) {
      line += fmt::format("   {} up", to_text(here.uplink));
      const auto below = host_rates(box);
      if (below.known()) {
        line += fmt::format(" ({:.3g}:1)", below.bytes_per_second() /
                                               here.uplink.bytes_per_second());
      }
    }
    if (!hosts_[box].empty()) {
      std::vector<std::string> names;
      for (const auto host : hosts_[box]) names.push_back(topology_.hosts[host].name);
      line += "   ";
      line += names_text(names, line.size() + 10 < kWidth ? kWidth - line.size() : 10);
    }
    line += "\n";
    if (indent > 40) return line;
    for (const auto child : limited(children_[box])) line += branch(child, indent + 2);
    return line + more(children_[box], indent + 2);
  }

  const Topology& topology_;
  const Fabric& fabric_;
  std::vector<std::size_t> roots_;
  std::vector<std::vector<std::size_t>> children_, hosts_;
};

std::string distances_text(const Fabric& fabric) {
  std::string text = "distances:";
  for (std::size_t i = 0; i < fabric.distances.size(); ++i) {
    std::string where = i == 0 ? "in a host" : "";
    if (i > 0) {
      where = "in a " + (i - 1 < fabric.level_names.size() ? fabric.level_names[i - 1]
                                                          : fmt::format("level{}", i - 1));
    }
    text += fmt::format("{} {:.6g} {}", i == 0 ? "" : ",", fabric.distances[i], where);
  }
  return wrapped(text, 2, 0);
}

std::string survey_text(const std::vector<SurveyEntry>& survey) {
  std::size_t width = 0;
  for (const auto& entry : survey) width = std::max(width, entry.source.size());
  width = std::min(width, std::size_t{16});
  std::string text = "looked at:\n";
  for (const auto& entry : survey) {
    std::string what;
    switch (entry.status) {
      case SurveyEntry::Status::ok: what = entry.why.empty() ? "ok" : entry.why; break;
      case SurveyEntry::Status::nothing: what = "saw nothing"; break;
      case SurveyEntry::Status::unavailable: what = "could not look: " + entry.why; break;
    }
    if (entry.status == SurveyEntry::Status::nothing && !entry.why.empty()) {
      what += ": " + entry.why;
    }
    const std::size_t indent = width + 4;
    if (entry.source.size() > width) {
      text += "  " + entry.source + "\n" + wrapped(what, indent, indent);
    } else {
      text += fmt::format("  {:<{}}  {}", entry.source, width,
                          wrapped(what, indent, indent).substr(indent));
    }
  }
  return text;
}

std::string warnings_text(const std::vector<Warning>& warnings) {
  std::vector<const Warning*> sorted;
  for (const auto& warning : warnings) sorted.push_back(&warning);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Warning* a, const Warning* b) {
    return a->severity < b->severity;
  });
  std::string text;
  std::map<std::string, std::size_t> of_code;
  for (const auto* warning : sorted) ++of_code[warning->code];
  std::map<std::string, std::size_t> shown;
  for (const Warning* entry : sorted) {
    const Warning& warning = *entry;
    const std::size_t number = ++shown[warning.code];
    // A fault of a file repeats for every GPU of it: two examples, then how many there are.
    if (number > 2 && of_code[warning.code] > 3) {
      if (number == of_code[warning.code]) {
        text += fmt::format("  and {} more of [{}]\n", number - 2, warning.code);
      }
      continue;
    }
    std::string line = fmt::format("{}: {} [{}]", word(warning.severity), warning.message,
                                   warning.code);
    // Most messages name their origins; the place is added where they don't.
    if (!warning.file.empty() && warning.message.find(warning.file) == std::string::npos) {
      line += warning.line > 0 ? fmt::format(" {}:{}", warning.file, warning.line)
                               : " " + warning.file;
    }
    text += wrapped(line, 2, 0);
  }
  return text;
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t indent, std::size_t first_indent) {
  std::string out(first_indent, ' ');
  std::size_t column = first_indent;
  bool line_empty = true;
  while (!text.empty()) {
    const auto blank = text.find(' ');
    const std::string_view piece = text.substr(0, blank);
    text.remove_prefix(blank == std::string_view::npos ? text.size() : blank + 1);
    if (piece.empty()) continue;
    if (!line_empty && column + 1 + piece.size() > kWidth) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
      line_empty = true;
    }
    if (!line_empty) {
      out += ' ';
      ++column;
    }
    out += piece;
    column += piece.size();
    line_empty = false;
  }
  return out + "\n";
}

std::string render_tree(const Topology& topology) {
  std::string text;
  const auto part = [&text](const std::string& more) {
    if (more.empty()) return;
    if (!text.empty()) text += "\n";
    text += more;
  };
  part(topology.hosts.empty() ? "no host is known\n" : hosts_text(topology));
  if (!topology.fabric.empty()) part(Network(topology).text());
  if (!topology.fabric.distances.empty()) part(distances_text(topology.fabric));
  if (!topology.survey.empty()) part(survey_text(topology.survey));
  part(warnings_text(topology.warnings));
  for (char& c : text) {
    if (c != '\n' && (c < 0x20 || c > 0x7e)) c = '?';
  }
  return text;
}

}  // namespace topolaunch::topo
