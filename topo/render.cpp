// SPDX-License-Identifier: Apache-2.0
#include "topo/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "topo/render_network.h"
#include "topo/topology_words.h"

namespace topolaunch::topo {
namespace {

constexpr std::size_t kWidth = 80;

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
      text += cut_host_list(names, kWidth - tail.size()) + tail + "\n" + body;
    }
  }
  return text;
}

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

std::string host_distances_text(const Fabric& fabric) {
  double nearest = 0, farthest = 0;
  for (const double distance : fabric.host_distances) {
    if (distance > 0 && (nearest == 0 || distance < nearest)) nearest = distance;
    farthest = std::max(farthest, distance);
  }
  return wrapped(fmt::format("distances from each host to each: {:.3g} to {:.3g}", nearest, farthest), 2, 0);
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
  if (!topology.fabric.empty()) part(network_text(topology));
  if (!topology.fabric.distances.empty()) part(distances_text(topology.fabric));
  if (!topology.fabric.host_distances.empty()) part(host_distances_text(topology.fabric));
  if (!topology.survey.empty()) part(survey_text(topology.survey));
  part(warnings_text(topology.warnings));
  for (char& c : text) {
    if (c != '\n' && (c < 0x20 || c > 0x7e)) c = '?';
  }
  return text;
}

}  // namespace topolaunch::topo
